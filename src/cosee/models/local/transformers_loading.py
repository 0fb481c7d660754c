"""What the clients on ``transformers`` share: the folder of a model, its revision, device, dtype, quantisation."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.models.base import VLMClient
from cosee.models.calls import ModelError
from cosee.models.local.thresholds import WEIGHT_SAMPLE_BYTES

_WEIGHTS = (".safetensors", ".gguf", ".bin")
_SETTINGS = (".json", ".jinja", ".txt", ".model")


def model_folder(path: str | Path, needs: tuple[str, ...] = ("config.json",)) -> Path:
    """The folder as given, checked before anything heavy is imported.

    Raises:
        ModelError: there is no such folder, or a file of ``needs`` is not in it.
    """
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {str(path)!r}; give the folder that holds config.json and weights")
    for name in needs:
        if not (folder / name).is_file():
            raise ModelError(f"the model folder {str(path)!r} has no {name}; it does not look like a model's folder")
    return folder


def revision(folder: Path, *settings: object) -> str:
    """16 hex digits that change with the weights, the tokenizer, the processor or ``settings``.

    Settings files count in full; of each weight file its size and its first and last MiB, so that a model of many
    gigabytes is told from another one in milliseconds.
    """
    digest = hashlib.sha256(repr(settings).encode())
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        if path.suffix in _SETTINGS:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
        elif path.suffix in _WEIGHTS:
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as stream:
                digest.update(stream.read(WEIGHT_SAMPLE_BYTES))
                stream.seek(max(0, path.stat().st_size - WEIGHT_SAMPLE_BYTES))
                digest.update(stream.read(WEIGHT_SAMPLE_BYTES))
    return digest.hexdigest()[:16]


def check_quantization(load_in_8bit: bool, load_in_4bit: bool) -> None:
    """Raises ModelError for both at once, or where bitsandbytes is not installed."""
    if load_in_8bit and load_in_4bit:
        raise ModelError("load_in_8bit and load_in_4bit exclude each other; set one of them")
    if (load_in_8bit or load_in_4bit) and importlib.util.find_spec("bitsandbytes") is None:
        raise ModelError("8-bit and 4-bit loading need bitsandbytes: pip install 'cosee[gpu]'")


def resolve_device(device: str) -> str:
    """``auto`` is the first GPU where there is one, else the CPU. Raises ModelError for a GPU that is not there."""
    import torch

    if device == "auto":
        return "cuda:0" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ModelError(f"device {device!r} was asked for, but torch finds no GPU; use 'cpu' or 'auto'")
    return device


def load(
    auto_class: Any,
    folder: Path,
    *,
    device: str,
    dtype: str,
    load_in_8bit: bool = False,
    load_in_4bit: bool = False,
    attention: str | None = None,
    **options: Any,
) -> Any:
    """A model in evaluation mode on its device; nothing is fetched from a hub.

    Raises:
        ModelError: an unknown dtype, or the weights do not load (the reason in words).
    """
    import torch

    if dtype != "auto" and not isinstance(getattr(torch, dtype, None), torch.dtype):
        raise ModelError(f"unknown dtype {dtype!r}; expected auto, float32, bfloat16 or float16")
    options["dtype"] = "auto" if dtype == "auto" else getattr(torch, dtype)
    if attention is not None:
        options["attn_implementation"] = attention
    if load_in_8bit or load_in_4bit:
        from transformers import BitsAndBytesConfig

        options["quantization_config"] = BitsAndBytesConfig(load_in_8bit=load_in_8bit, load_in_4bit=load_in_4bit)
        options["device_map"] = {"": device}
    model = load_part("model", auto_class, folder, **options)
    return (model if load_in_8bit or load_in_4bit else model.to(device)).eval()


def load_part(what: str, auto_class: Any, folder: Path, **options: Any) -> Any:
    """``auto_class.from_pretrained`` of a folder alone; ``what`` is for the message of the ModelError."""
    try:
        return auto_class.from_pretrained(folder, local_files_only=True, **options)
    except (OSError, ValueError, RuntimeError, ImportError, KeyError) as error:
        raise ModelError(f"the {what} in {folder.name!r} does not load: {type(error).__name__}: {error}") from error


def configured_context(folder: Path) -> int:
    """Positions that a model was made for, by its config.json; the default where there is none or it does not say.

    Raises:
        ModelError: config.json cannot be read.
    """
    path = folder / "config.json"
    if not path.is_file():
        return VLMClient.max_context
    try:
        config = files.read_json(path)
        return int((config.get("text_config") or config).get("max_position_embeddings") or VLMClient.max_context)
    except (ArtifactError, AttributeError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: no usable model configuration ({error})") from error


def end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Ids that end a reply: those of the generation configuration, and the tokenizer's."""
    configured = model.generation_config.eos_token_id
    ids = configured if isinstance(configured, list) else [configured]
    return frozenset(int(token) for token in [*ids, tokenizer.eos_token_id] if token is not None)


def stay_offline() -> None:
    """Keep transformers from asking a hub for anything. Call before its first import."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")


def check_torchvision() -> None:
    """Raises ModelError where torchvision is installed and does not import: transformers would fail far from here."""
    if importlib.util.find_spec("torchvision") is None:
        return
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError, OSError) as error:
        raise ModelError(
            f"torchvision is installed but does not import ({error}); remove it, or install the build that belongs "
            "to the installed torch"
        ) from error


def ensure_video_processor() -> None:
    """Let ``AutoProcessor`` load a Qwen3-VL folder where torchvision is absent.

    Its video processor needs torchvision; a stand-in that refuses videos takes its place. Nothing changes where
    torchvision is installed. Calling it again is harmless.
    """
    from transformers.utils import is_torchvision_available

    if is_torchvision_available():
        return
    # Without torchvision, transformers' top-level names of these are dummies.
    from transformers import Qwen3VLConfig, processing_utils, video_processing_utils
    from transformers.models.auto.video_processing_auto import AutoVideoProcessor

    base: Any = (
        getattr(video_processing_utils, "VideoProcessorMixin", None) or video_processing_utils.BaseVideoProcessor
    )

    def refuse(self: Any, videos: Any, **kwargs: Any) -> Any:
        raise RuntimeError("video input needs torchvision, which is not installed")

    # The class carries the name that processor_config.json gives.
    stand_in = type(
        "Qwen3VLVideoProcessor",
        (base,),
        {
            "model_input_names": ["pixel_values_videos", "video_grid_thw"],
            "patch_size": 16,
            "temporal_patch_size": 2,
            "merge_size": 2,
            "preprocess": refuse,
        },
    )
    # AutoProcessor hands its backend on to the video processor too, so both names are registered.
    AutoVideoProcessor.register(
        Qwen3VLConfig, exist_ok=True, video_processor_classes={"pil": stand_in, "torchvision": stand_in}
    )
    # ProcessorMixin looks the base class up by name on transformers' top-level module.
    setattr(processing_utils.transformers_module, base.__name__, base)
