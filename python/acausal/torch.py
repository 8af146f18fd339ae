"""Runs as functions of PyTorch, with exact derivatives through events.

    import acausal, torch
    from acausal.torch import simulate

    model = acausal.load('models/BouncingBall.mo')
    e = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    h = simulate(model, {'e': e}, ['h'], stop=1.0)      # values at the end
    h.sum().backward()
    e.grad
"""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

import torch

from .differentiable import value_and_vjp
from .model import Model


class Simulate(torch.autograd.Function):  # type: ignore[misc]
    """The run; its derivatives are computed with it, where they are wanted, and kept for the way back."""

    @staticmethod
    def forward(ctx: Any, model: Model, names: Sequence[str], input_names: Sequence[str], time: Any, of: Sequence[str], options: dict[str, Any],
                *tensors: Any) -> Any:
        arrays = [t.detach().cpu().double().numpy() for t in tensors]
        values = dict(zip(names, arrays))
        inputs = {n: a for n, a in zip(input_names, arrays[len(names):])}
        wanted = [n for n, needed in zip([*names, *input_names], ctx.needs_input_grad[6:]) if needed]
        ctx.names, ctx.tensors = [*names, *input_names], [(t.dtype, t.device) for t in tensors]
        if time is not None:
            inputs = {'time': time, **inputs}
        value, ctx.vjp = value_and_vjp(model, values, of, inputs or None, wrt=wanted or list(names)[:1] or list(input_names)[:1], **options)
        return torch.as_tensor(value, dtype=tensors[0].dtype, device=tensors[0].device)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, weights: Any) -> Any:
        gradients = ctx.vjp(weights.detach().cpu().double().numpy())
        out = [torch.as_tensor(gradients[n], dtype=dtype, device=device) if needed and n in gradients else None
               for n, needed, (dtype, device) in zip(ctx.names, ctx.needs_input_grad[6:], ctx.tensors)]
        return (None, None, None, None, None, None, *out)


def simulate(model: Model, values: Mapping[str, Any], of: Sequence[str], inputs: Optional[Mapping[str, Any]] = None, times: Optional[int] = None,
             **options: Any) -> Any:
    """Values of variables at the end, or at times + 1 equidistant times, as a tensor through which gradients flow.

    values: parameters and start values by name, tensors of numbers or of whole arrays. inputs: {'time': times, 'u': tensor}. Options are
    those of Model.simulate, and method='forward', 'adjoint', 'ad' or 'ad-adjoint'.
    """
    input_names = [n for n in (inputs or {}) if n != 'time']
    time = None
    if inputs is not None:
        time = torch.as_tensor(inputs['time']).detach().cpu().double().numpy()
    tensors = [torch.as_tensor(v) for v in [*values.values(), *[(inputs or {})[n] for n in input_names]]]
    if not tensors:
        raise ValueError('a run without values and inputs has no derivatives: use Model.simulate')
    return Simulate.apply(model, list(values), input_names, time, list(of), dict(options, times=times), *tensors)
