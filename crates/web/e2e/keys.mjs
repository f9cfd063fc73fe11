// The page's words in English: the strings that its scripts give to the table, and those in its
// document.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";

const ts = createRequire(import.meta.url)("typescript");
const folder = new URL("../page/", import.meta.url);

/** Where functions take texts that people see or hear, among their arguments. */
const SHOWN = { say: [0], note: [0], dressed: [2, 3] };
const ATTRIBUTES = ["aria-label", "title", "placeholder"];
const hasWords = (text) => /[A-Za-z]{2}/.test(text);

/** The texts that are translated, and the places where a text is shown that is not. */
export function scripts() {
  const keys = new Set();
  const loose = [];
  for (const name of readdirSync(folder).filter((file) => /^[a-z]+\.js$/.test(file) && !["types.js", "sw.js", "worker.js"].includes(file))) {
    const source = ts.createSourceFile(name, readFileSync(new URL(name, folder), "utf8"), ts.ScriptTarget.Latest, true);
    const isText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);
    const shown = (node) => {
      if (!node) return;
      const parts = isText(node) ? [node] : ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map((span) => span.literal)] : [];
      if (parts.some(({ text }) => hasWords(text))) loose.push(`${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`);
      if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(shown);
    };
    const visit = (node) => {
      if (ts.isCallExpression(node)) {
        const called = node.expression.getText();
        const [first, second, ...rest] = node.arguments;
        if (called === "t" && isText(first)) keys.add(first.text);
        else if (called === "t" && !ts.isConditionalExpression(first)) loose.push(`${name}: ${node.getText()}`);
        // Values are parts of what is shown, and so is what stands between the names of a list.
        if (called === "t" && second && ts.isObjectLiteralExpression(second)) second.properties.filter(ts.isPropertyAssignment).forEach((one) => shown(one.initializer));
        if (called.endsWith(".join")) shown(first);
        if (called === "count" && isText(second)) [second.text, rest[0]?.text ?? `${second.text}s`].forEach((text) => keys.add(text));
        if (called === "make") {
          rest.forEach(shown);
          const properties = second && ts.isObjectLiteralExpression(second) ? second.properties : [];
          properties.filter((one) => ts.isPropertyAssignment(one) && ATTRIBUTES.includes(one.name.text)).forEach((one) => shown(one.initializer));
        } else for (const at of SHOWN[called] ?? []) shown(node.arguments[at]);
      }
      if (ts.isBinaryExpression(node) && node.operatorToken.getText() === "=" && node.left.getText().endsWith(".textContent")) shown(node.right);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { keys, loose };
}

/** The texts of the document. */
export function page() {
  const html = readFileSync(new URL("index.html", folder), "utf8");
  const body = html.slice(html.indexOf("<body>")).replace(/&\w+;/g, "");
  const texts = [...body.matchAll(/>([^<]+)</g), ...body.matchAll(/(?:aria-label|placeholder|title)="([^"]+)"/g)].map(([, text]) => text.trim());
  return new Set(texts.filter((text) => hasWords(text) && text !== "taquin"));
}
