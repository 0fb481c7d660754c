"""Every number and name that the demo documents and their gold answers share."""

from __future__ import annotations

from typing import Any

YEARS = (2020, 2021, 2022, 2023, 2024)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _atlas() -> dict[str, Any]:
    segments = {
        "Cold storage": {2022: 318.4, 2023: 341.7, 2024: 372.9},
        "Rail freight": {2022: 204.6, 2023: 221.3, 2024: 236.8},
        "Port handling": {2022: 141.2, 2023: 138.5, 2024: 149.6},
        "Digital services": {2022: 21.9, 2023: 28.4, 2024: 38.1},
    }
    revenue = {2020: 598.3, 2021: 641.7}
    revenue |= {year: round(sum(segment[year] for segment in segments.values()), 1) for year in (2022, 2023, 2024)}
    profit_of = {
        "Cold storage": (41.6, 58.9),
        "Rail freight": (17.4, 24.1),
        "Port handling": (6.8, 12.0),
        "Digital services": (-3.1, 1.9),
        "Group costs": (-5.6, -6.2),
    }
    profit = {2023 + i: round(sum(pair[i] for pair in profit_of.values()), 1) for i in (0, 1)}
    costs = {
        "Personnel": (-228.7, -246.3),
        "Electricity and other energy": (-121.6, -112.9),
        "Transport and maintenance": (-171.2, -184.8),
        "Depreciation": (-92.5, -101.0),
        "Other operating costs": (-58.8, -61.7),
    }
    below = {"Finance costs, net": (-18.9, -20.6), "Income tax": (-9.3, -16.4)}
    cash = {
        "Cash from operations": (128.4, 163.2),
        "Investment in sites and rolling stock": (-142.0, -118.5),
        "Proceeds from disposals": (6.2, 3.4),
        "Dividends paid": (-14.6, -17.5),
        "Change in borrowing": (31.0, -12.7),
    }
    headcount = {
        "Sweden": (812, 846),
        "Denmark": (455, 471),
        "Norway": (121, 129),
        "Finland": (398, 402),
        "Estonia": (287, 301),
        "Latvia": (214, 226),
        "Lithuania": (176, 183),
        "Poland": (689, 742),
        "Germany": (344, 338),
    }
    sites = [  # name, country, opened, pallet positions, average use in per cent, energy class
        ("Malmö Norra", "Sweden", 1994, 48200, 91, "B"),
        ("Malmö Freeport", "Sweden", 2018, 36500, 93, "A"),
        ("Norrköping", "Sweden", 2003, 27400, 84, "C"),
        ("Jönköping Torsvik", "Sweden", 2011, 41800, 90, "B"),
        ("Sundsvall", "Sweden", 1998, 15600, 77, "D"),
        ("Helsingborg", "Sweden", 2007, 30900, 89, "B"),
        ("Aarhus East", "Denmark", 2001, 33700, 88, "B"),
        ("Fredericia", "Denmark", 2015, 38900, 92, "A"),
        ("Esbjerg Quay", "Denmark", 1996, 19800, 81, "C"),
        ("Drammen", "Norway", 2009, 17200, 86, "B"),
        ("Turku", "Finland", 2005, 24600, 83, "C"),
        ("Kouvola Railhead", "Finland", 2013, 29300, 87, "B"),
        ("Tallinn Muuga", "Estonia", 2006, 31200, 85, "B"),
        ("Tartu", "Estonia", 2017, 14900, 80, "A"),
        ("Riga Krievu Sala", "Latvia", 2010, 26700, 82, "C"),
        ("Ventspils", "Latvia", 1999, 12300, 71, "D"),
        ("Klaipėda", "Lithuania", 2012, 28800, 88, "B"),
        ("Kaunas Terminal", "Lithuania", 2016, 21500, 86, "A"),
        ("Gdańsk Deepwater", "Poland", 2014, 52600, 94, "A"),
        ("Gdynia", "Poland", 2002, 25100, 85, "C"),
        ("Poznań Gądki", "Poland", 2019, 44300, 92, "A"),
        ("Łódź Stryków", "Poland", 2021, 39700, 90, "A"),
        ("Rostock", "Germany", 2000, 23900, 79, "C"),
        ("Lübeck Skandinavienkai", "Germany", 2008, 34800, 87, "B"),
        ("Hamburg Billbrook", "Germany", 1993, 18400, 74, "D"),
    ]
    electricity = {  # GWh
        "Grid mix": (214, 205, 188, 171, 149),
        "Rooftop solar": (9, 14, 22, 31, 44),
        "Wind contracts": (61, 72, 90, 104, 121),
    }
    power = {year: sum(rows[i] for rows in electricity.values()) for i, year in enumerate(YEARS)}
    directors = [
        ("Ingrid Solheim (chair)", 2017, 9, "4 of 4"),
        ("Tomasz Wieczorek", 2019, 9, "4 of 4"),
        ("Kaarel Põld", 2020, 8, "–"),
        ("Henriette Brask", 2018, 9, "4 of 4"),
        ("Samuel Oyelaran", 2021, 9, "–"),
        ("Liisa Haapala", 2022, 7, "3 of 4"),
        ("Bengt Ferlin", 2016, 9, "–"),
        ("Dorota Zielińska", 2023, 9, "–"),
    ]
    totals = {
        name: tuple(round(sum(row[i] for row in rows.values()), 1) for i in (0, 1))
        for name, rows in (("cash", cash), ("headcount", headcount), ("costs", costs), ("below", below))
    }
    return {
        "company": "Atlas Coldway",
        "segments": segments,
        "revenue": revenue,
        "growth": {y: 100 * (revenue[y] / revenue[y - 1] - 1) for y in YEARS[1:]},
        "profit_of": profit_of,
        "profit": profit,
        "margin": {year: round(100 * profit[year] / revenue[year], 1) for year in profit},
        "net": {year: round(profit[year] + totals["below"][i], 1) for i, year in enumerate((2023, 2024))},
        "costs": costs,
        "below": below,
        "cash": cash,
        "cash_change": totals["cash"],
        "cash_start": 64.3,
        "capex_2024": -cash["Investment in sites and rolling stock"][1],
        "headcount": headcount,
        "people": {2023: int(totals["headcount"][0]), 2024: int(totals["headcount"][1])},
        "sites": sites,
        "site_count": len(sites),
        "positions": sum(site[3] for site in sites),
        "largest": max(sites, key=lambda site: site[3]),
        "electricity": electricity,
        "power": power,
        "utilisation": (83.1, 84.6, 86.9, 88.2, 85.0, 86.8, 89.7, 91.3),
        "on_time": (91.2, 88.7, 92.4, 94.1, 95.0, 95.6, 96.3, 95.8, 94.9, 93.7, 92.2, 90.4),
        "on_time_goal": 94,
        "accidents": dict(zip(YEARS, (6.8, 5.9, 5.1, 4.4, 3.7), strict=True)),
        "directors": directors,
        "meetings": 9,
        "meetings_word": "nine",
        "dividend": {2023: 0.42, 2024: 0.55},
        "loan": 240,
        "loan_bank": "Nordvik Bank",
        "loan_due": "June 2029",
        "auditor": "Halvorsen & Reed",
        "debt_ratio": (3.9, 3.7, 3.5, 3.3, 2.4),
        "cash_end": round(64.3 + totals["cash"][0] + totals["cash"][1], 1),
        "profit_gain": round(profit[2024] - profit[2023], 1),
        "people_gain": int(totals["headcount"][1] - totals["headcount"][0]),
        "power_growth": 100 * (power[2024] / power[2023] - 1),
        "targets": [
            ("Average use of positions, per cent", "85.7", "88.2", "92"),
            ("Tonnes moved by rail, per cent", "34", "37", "50"),
            ("Electricity from the grid mix, per cent", "56", "47", "0"),
            ("Accidents per million hours", "4.4", "3.7", "below 2"),
            ("Operating margin, per cent", "7.8", "11.4", "13"),
        ],
        "investment": {
            "Automated cranes": (38.4, 31.5),
            "Rail wagons": (19.5, 26.8),
            "Insulation": (14.6, 18.3),
            "Solar roofs": (16.9, 12.2),
            "Ramps and docks": (22.3, 11.9),
            "Compressors": (12.1, 9.4),
            "Information technology": (18.2, 8.4),
        },
        "quarters": [
            ("First quarter", 172.4, 186.2, 8.2, 15.4),
            ("Second quarter", 179.6, 195.8, 14.1, 21.9),
            ("Third quarter", 185.3, 204.1, 18.7, 27.6),
            ("Fourth quarter", 192.6, 211.3, 16.1, 25.8),
        ],
        "owners": {
            "Solheim family": 31.2,
            "Pension funds": 22.9,
            "Nordic Harvest co-operative": 14.6,
            "Employees": 3.4,
            "Other shareholders": 27.9,
        },
        "guidance": (825, 850),
        "solar_sites": 14,
        "apprentices": 63,
        "chargers": 38,
    }


def _tidal() -> dict[str, Any]:
    horizons = (10, 20, 30, 60, 90, 120)
    errors = {  # RMSE in m/s at each horizon
        "Persistence": (0.118, 0.214, 0.301, 0.502, 0.641, 0.718),
        "Harmonic": (0.163, 0.164, 0.166, 0.169, 0.171, 0.172),
        "Autoregressive": (0.091, 0.127, 0.151, 0.189, 0.214, 0.233),
        "Shoal": (0.074, 0.088, 0.097, 0.113, 0.124, 0.131),
    }
    stations = [  # name, depth m, mean spring peak m/s, records, share missing in per cent
        ("K1", 27.4, 2.61, 51218, 1.2),
        ("K2", 31.0, 2.94, 51425, 0.8),
        ("K3", 33.8, 3.12, 49715, 4.1),
        ("K4", 29.6, 2.77, 50648, 2.3),
        ("K5", 24.9, 2.38, 46863, 9.6),
    ]
    ablation = [  # variant, RMSE at 30 min, RMSE at 120 min
        ("Full model", 0.097, 0.131),
        ("without neighbour meters", 0.128, 0.166),
        ("without harmonic residual", 0.119, 0.187),
        ("without pressure input", 0.101, 0.139),
        ("without gap masking", 0.109, 0.142),
    ]
    return {
        "horizons": horizons,
        "errors": errors,
        "at": {name: dict(zip(horizons, row, strict=True)) for name, row in errors.items()},
        "gain": {h: round(100 * (1 - errors["Shoal"][i] / errors["Harmonic"][i])) for i, h in enumerate(horizons)},
        "stations": stations,
        "ablation": ablation,
        "by_meter": {
            "K1": (0.084, 0.099, 0.108, 0.124, 0.134, 0.141),
            "K2": (0.069, 0.082, 0.091, 0.107, 0.119, 0.126),
            "K3": (0.066, 0.079, 0.087, 0.104, 0.115, 0.123),
            "K4": (0.070, 0.084, 0.093, 0.108, 0.120, 0.127),
            "K5": (0.081, 0.096, 0.106, 0.122, 0.132, 0.138),
        },
        "days": 180,
        "unit_cost": 1850,
        "weights": 41620,
        "constituents": 12,
        "window": 72,
        "epochs": 60,
        "energy": {"Harmonic": 11.8, "Autoregressive": 9.7, "Shoal": 6.4},
        "grant": "MR-2219",
    }


def _harbor() -> dict[str, Any]:
    budget = [  # package, approved, spent, forecast (EUR million)
        ("Grid connection", 6.4, 6.1, 6.3),
        ("Converter hall", 9.8, 7.2, 10.6),
        ("Berth equipment", 7.5, 2.9, 7.4),
        ("Control system", 2.1, 0.8, 2.0),
        ("Project office", 1.7, 1.1, 1.7),
    ]
    berths = [
        ("Berth 2", 6.5, "Cruise", "2026 Q3"),
        ("Berth 4", 3.0, "Ferry", "2025 Q4"),
        ("Berth 5", 3.0, "Ferry", "2026 Q1"),
        ("Berth 7", 2.5, "Container feeder", "2026 Q4"),
    ]
    calls = {"Cruise": (96, 104, 112, 121), "Ferry": (1240, 1262, 1255, 1281)}
    return {
        "budget": budget,
        "berth_count": len(berths),
        "approved": round(sum(row[1] for row in budget), 1),
        "spent": round(sum(row[2] for row in budget), 1),
        "forecast": round(sum(row[3] for row in budget), 1),
        "berths": berths,
        "power_mw": sum(row[1] for row in berths),
        "calls": calls,
        "emissions": dict(
            zip(("2021", "2022", "2023", "2024", "2026", "2028"), (14.2, 14.6, 14.9, 15.3, 9.8, 4.1), strict=True)
        ),
        "manager": "Oriane Castell",
        "date": "18 March 2025",
        "next_meeting": "17 June 2025",
        "transformer_weeks": 34,
    }


def _letter() -> dict[str, Any]:
    return {
        "reference": "BV/2291/24",
        "date": "11 March 2024",
        "surveyor": "Alasdair Brannock",
        "client": "Mrs Helen Ostrander",
        "building": "Old Lifeboat Station, Skerry Point",
        "visit": "27 February 2024",
        "slates": 340,
        "roof_cost": 18450,
        "gutter_cost": 3275,
        "timber_cost": 6120,
        "total": 18450 + 3275 + 6120,
        "fee": 960,
        "deadline": "30 April 2024",
        "moisture": 28,
    }


ATLAS, TIDAL, HARBOR, LETTER = _atlas(), _tidal(), _harbor(), _letter()
