"""Types of the names that ``__init__.py`` loads when they are first used."""

from cosee.agents.baselines.functions import multi_agent_chat_no_board as multi_agent_chat_no_board
from cosee.agents.baselines.functions import self_consistency as self_consistency
from cosee.agents.baselines.functions import single_agent_cot as single_agent_cot
from cosee.agents.cosee.actions import Action as Action
from cosee.agents.cosee.agent import Agent as Agent
from cosee.agents.cosee.agent import CrossCheckerAgent as CrossCheckerAgent
from cosee.agents.cosee.agent import DetailReaderAgent as DetailReaderAgent
from cosee.agents.cosee.agent import DummyAgent as DummyAgent
from cosee.agents.cosee.agent import ScannerAgent as ScannerAgent
from cosee.agents.cosee.board import Board as Board
from cosee.agents.cosee.board import Cell as Cell
from cosee.agents.cosee.board import View as View
from cosee.agents.cosee.controller import CoSeeController as CoSeeController
from cosee.commands.document import Document as Document
from cosee.commands.document import read as read
from cosee.datasets.importers.mpdocvqa import build_dev_subset as build_dev_subset
from cosee.datasets.importers.mpdocvqa import load_mpdocvqa_split as load_mpdocvqa_split
from cosee.datasets.samples import Sample as Sample
from cosee.datasets.samples import load_samples as load_samples
from cosee.evaluation.scorers.core import aggregate_metrics as aggregate_metrics
from cosee.evaluation.scorers.core import anls as anls
from cosee.evaluation.scorers.core import exact_match as exact_match
from cosee.evaluation.scorers.core import f1_score as f1_score
from cosee.evaluation.scorers.core import normalize_answer as normalize_answer
from cosee.models.local.qwen_vl_wrapper import QwenVLClient as QwenVLClient
from cosee.project.installed import SNAKEFILE as SNAKEFILE
