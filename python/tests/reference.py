"""The reference of the package, written from its docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import taquin
from taquin import search, types, widget

PAGE = Path(__file__).parents[2] / "docs/reference/python.md"

HEAD = """\
# The Python package

Every public name of `taquin`, with an example that is tested. [The manual](../../python/README.md) shows how they work
together. This page is written from the docstrings, which `help(taquin.solve)` also shows.
"""

MODULES: dict[str, ModuleType] = {"taquin": taquin, "taquin.search": search, "taquin.types": types, "taquin.widget": widget}


def reference() -> str:
    """The page."""
    parts = [HEAD]
    for title, module in MODULES.items():
        parts.append(f"\n## {title}\n\n{text_of(module.__doc__)}")
        things = {name: getattr(module, name) for name in sorted(module.__all__, key=str.lower)}
        for name, thing in things.items():
            if is_defined(thing):
                parts.append(f"\n### {name}\n\n{entry(name, thing)}")
        named = [name for name, thing in things.items() if not is_defined(thing) and module is types]
        if named:
            parts.append("\n" + listing([(name, prose(comment_above(name, module))) for name in named]))
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).rstrip() + "\n"


def entry(name: str, thing: Any) -> str:
    """What the page has about a function or a class."""
    text = f"```text\n{signature(name, thing)}\n```\n\n{text_of(thing.__doc__)}"
    fields = members(thing) if inspect.isclass(thing) else []
    return text + ("\n" + listing(fields) if fields else "")


def listing(rows: list[tuple[str, str]]) -> str:
    """Names with their meanings, as `help` lists them."""
    width = max(len(name) for name, _ in rows)
    lines = (textwrap.wrap(" ".join(about.replace("`", "").split()), 110 - width) for _, about in rows)
    shown = (f"\n{' ' * (width + 2)}".join(each) for each in lines)
    return "```text\n" + "".join(f"{name:<{width}}  {about}\n" for (name, _), about in zip(rows, shown)) + "```\n"


def is_defined(thing: Any) -> bool:
    """Whether it is a function or a class of the package, and not another name of a type."""
    return (inspect.isclass(thing) or inspect.isroutine(thing)) and thing.__module__.startswith("taquin")


def comment_above(name: str, module: ModuleType) -> str:
    """The comment that describes a type."""
    found = re.search(rf"((?:^#: .*\n)+){name}\b", inspect.getsource(module), re.MULTILINE)
    assert found, f"{name} has no description"
    return found[1].replace("#: ", "")


def signature(name: str, thing: Any) -> str:
    """A call, on several lines if it is long."""
    try:
        facts = inspect.signature(thing)
    except ValueError:
        return name
    # Annotations are texts, which are shown with quotes.
    shown = [re.sub(r": '([^']*)'", r": \1", str(each)) for each in facts.parameters.values()]
    kinds = [each.kind for each in facts.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = facts.return_annotation
    end = ")" if returned is inspect.Signature.empty or inspect.isclass(thing) else f") -> {returned}"
    short = f"{name}({', '.join(shown)}{end}"
    return short if len(short) <= 100 else f"{name}(\n" + "".join(f"    {each},\n" for each in shown) + end


def members(kind: type) -> list[tuple[str, str]]:
    """The methods and properties of a class that are documented, with their first paragraphs."""
    found = []
    for name in sorted(dir(kind)):
        if name.startswith("_"):
            continue
        owner = next(base for base in kind.__mro__ if name in base.__dict__)
        member = owner.__dict__[name]
        about = getattr(member, "__doc__", None)
        is_ours = owner.__module__.startswith(("taquin", "builtins")) and owner not in (tuple, BaseException, ValueError)
        if not is_ours or not about or type(member).__module__.startswith("traitlets"):
            continue
        is_called = inspect.isroutine(getattr(kind, name))
        found.append((f"{name}()" if is_called else name, " ".join(prose(about.split("\n\n")[0]).split())))
    return found


def prose(text: str) -> str:
    return text.replace("``", "`").strip()


def text_of(doc: str | None) -> str:
    """A docstring as Markdown."""
    parts = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(doc or "")):
        is_example = block.startswith(">>>")
        parts.append(f"```python\n{block}\n```" if is_example else prose(block))
    return "\n\n".join(parts) + "\n"

