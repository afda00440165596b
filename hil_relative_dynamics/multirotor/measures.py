"""Numbers of a flight, as paper 003, Sec. V gives them."""
from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from scipy import stats

from hil_relative_dynamics.multirotor.flight import Flight


@dataclass(frozen=True)
class LinearFit:
    """A straight line through samples, and where further samples would lie (paper 003, Fig. 7)."""

    slope: float
    intercept: float
    deviation: float  # of the samples about the line, n - 2 degrees of freedom
    count: int
    middle: float  # mean of the abscissae
    spread: float  # sum of their squared distances from it

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray) -> LinearFit:
        """All NaN for fewer than three samples, through which no line is fitted."""
        if len(x) < 3:
            return cls(nan, nan, nan, 1, nan, nan)
        slope, intercept = np.polyfit(x, y, 1)
        rest = y - (slope * x + intercept)
        deviation = float(np.sqrt(rest @ rest / (len(x) - 2)))
        spread = float(np.sum((x - x.mean()) ** 2))
        return cls(float(slope), float(intercept), deviation, len(x), float(x.mean()), spread)

    def at(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.slope * x + self.intercept)

    def half_width(self, x: np.ndarray, level: float = 0.95) -> np.ndarray:
        r"""Of the prediction interval: \( t_{n-2}\, s \sqrt{1 + 1/n + (x - \bar x)^2 / S_{xx}} \)."""
        quantile = stats.t.ppf(0.5 + 0.5 * level, self.count - 2)
        inside = 1.0 + 1.0 / self.count + (x - self.middle) ** 2 / self.spread
        return np.asarray(quantile * self.deviation * np.sqrt(inside))


def errors(flight: Flight) -> np.ndarray:
    """Distance of the chaser from its reference, row by row [m]: err = |r_ref - r_obs|."""
    return np.asarray(np.linalg.norm(flight.wanted - flight.chaser, axis=1))


def error_fit(flight: Flight) -> LinearFit:
    """Of the error over time, from the first impulse to the end of the reference."""
    rows = (flight.times >= 0.0) & (flight.times <= flight.ended)
    return LinearFit.of(flight.times[rows], errors(flight)[rows])


def repeatability(flight: Flight, turns: int) -> float:
    """Largest distance between where the turns of a circle passed the same place [m]; the first holds the start."""
    flown = np.array_split(flight.chaser[(flight.times >= 0.0) & (flight.times < flight.ended)], turns)
    length = min(len(turn) for turn in flown)
    stack = np.array([turn[:length] for turn in flown])
    return float(np.linalg.norm(stack - stack.mean(axis=0), axis=2).max())


def measure(flight: Flight) -> dict[str, float]:
    """By key with unit, from the start of the reference on."""
    flyers, rows = flight.flyers, flight.times >= 0.0
    error, attitude = errors(flight)[rows], np.degrees(flight.attitude[rows])
    yaw = np.angle(np.exp(1j * (flight.attitude[rows, 2] - flight.wanted_yaw[rows])))
    gap = flight.chaser - flight.target
    fit = error_fit(flight)
    rule = flyers.separation
    hovering = np.linalg.norm(flight.target - flyers.pose_target.translation, axis=1)
    breaches = [rule.breach(chaser, target) for chaser, target in zip(flight.chaser, flight.target)]
    return {
        "largest_error_m": float(error.max()),
        "mean_error_m": float(error.mean()),
        "error_fit_intercept_m": fit.intercept,
        "error_fit_slope_m_s": fit.slope,
        "error_prediction_half_width_m": float(fit.half_width(np.array([fit.middle]))[0]),
        "roll_deviation_deg": float(attitude[:, 0].std()),
        "pitch_deviation_deg": float(attitude[:, 1].std()),
        "largest_roll_pitch_deg": float(np.abs(attitude[:, :2]).max()),
        "yaw_deviation_deg": float(np.degrees(yaw.std())),
        "target_largest_error_m": float(hovering.max()),
        "smallest_centre_distance_m": float(np.linalg.norm(gap, axis=1).min()),
        "smallest_tip_clearance_m": float(np.hypot(gap[:, 0], gap[:, 1]).min() - 2.0 * rule.tip_radius),
        "D_min_m": rule.beside,
        "H_min_m": rule.above,
        "separation_breach_m": max(0.0, *breaches),
        "rule_stops": float(flight.stopped_by_rule),
        "reference_ended_s": flight.ended,
        "mixer_rank": float(flyers.mixer.rank),
        "mixer_condition": flyers.mixer.condition,
        "largest_rotor_speed_share": float(flight.speeds.max() / flyers.mixer.fastest),
        "speed_demand": flyers.demand.speed,
        "acceleration_demand": flyers.demand.acceleration,
        "navigation_consistency": float(flight.consistency.mean() / 15.0),
    }
