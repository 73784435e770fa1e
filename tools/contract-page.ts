/**
 * Renders openapi.yaml as one HTML page for the developers of a backend: no script, no request, so
 * that it can be read offline and sent as a file. `npm run generate` writes it.
 */
import { checks } from '../conformance/checks/all.ts';
import { describeScreen } from '../conformance/describe.ts';
import { escapeMarkup } from '../conformance/report/html.ts';
import { dark, light } from '../src/styles/themes.ts';
import { dereferencedContract } from './contract.ts';
import { headingAnchor } from './markdown.ts';

type OperationId = Parameters<typeof describeScreen>[0]['operation'];

/** The parts of a dereferenced OpenAPI document that the page shows. */
type Contract = {
  info: { title: string; version: string; summary: string; description: string };
  security: object[];
  paths: { [path: string]: { [method: string]: Operation } };
  components: { securitySchemes: { [name: string]: { name: string; description: string } } };
};

type Operation = {
  operationId: OperationId;
  summary: string;
  description: string;
  security?: object[];
  parameters?: (Field & { name: string; in: string })[];
  requestBody?: Body;
  responses: {
    [status: string]: Body & { description: string; headers?: { [name: string]: Field } };
  };
};

type Field = { description?: string; required?: boolean; schema: Schema; example?: unknown };
type Body = { content?: { 'application/json': { schema: Schema; examples?: Examples } } };
type Examples = { [name: string]: { summary: string; value: unknown } };

type Schema = {
  type?: string | string[];
  description?: string;
  properties?: { [name: string]: Schema };
  required?: string[];
  items?: Schema;
  [limit: string]: unknown;
};

/** Returns the page for openapi.yaml, or for the contract at this path. */
export async function contractPage(path?: string): Promise<string> {
  const contract = (await dereferencedContract(path)) as unknown as Contract;
  const { info, paths, components } = contract;
  const operations = Object.entries(paths).flatMap(([address, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      address: `${method.toUpperCase()} ${address}`,
      isPublic: (operation.security ?? contract.security).length === 0,
    })),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeMarkup(info.title)}: the contract</title>
<style>
${styles}</style>
</head>
<body>
<header>
<h1>${escapeMarkup(info.title)}: the contract</h1>
<p>${escapeMarkup(info.summary)} Version ${escapeMarkup(info.version)} of <code>openapi.yaml</code>.</p>
</header>
<nav aria-label="Contents">
<ul>
${operations.map(({ operationId, summary, address }) => `<li><a href="#${operationId}">${escapeMarkup(summary)}</a> <code>${address}</code></li>`).join('\n')}
${headingsOf(info.description)
  .map((title) => `<li><a href="#${headingAnchor(title)}">${escapeMarkup(title)}</a></li>`)
  .join('\n')}
<li><a href="#requirements">What the conformance kit checks</a></li>
</ul>
</nav>
<main>
<section>
<h2>For all calls</h2>
${markdown(info.description)}
<dl>
${Object.values(components.securitySchemes)
  .map(
    ({ name, description }) =>
      `<dt>Cookie <code>${name}</code></dt><dd>${inlineMarkdown(description)}</dd>`,
  )
  .join('\n')}
</dl>
</section>
${operations.map(renderOperation).join('\n')}
<section id="requirements">
<h2>What the conformance kit checks</h2>
<p>Without a MUST, the app breaks or shows its users something false. A SHOULD is what the contract
requires beyond that.</p>
<dl>
${checks
  .filter(({ level }) => level !== 'PROFILE')
  .map(
    ({ id, level, title, requirement }) =>
      `<dt>${id} <b>${level}</b></dt><dd>${escapeMarkup(title)}. <span>${escapeMarkup(requirement)}</span></dd>`,
  )
  .join('\n')}
</dl>
</section>
</main>
</body>
</html>
`;
}

function renderOperation(operation: Operation & { address: string; isPublic: boolean }): string {
  const { operationId, summary, description, address, isPublic } = operation;
  const { parameters = [], requestBody, responses } = operation;
  return `<section id="${operationId}">
<h2>${escapeMarkup(summary)} <small>${operationId}</small></h2>
<p class="address"><code>${address}</code></p>
${markdown(description)}
<p>${isPublic ? 'Needs no session.' : 'Needs a session.'}</p>
<h3>Request headers</h3>
<dl>
${parameters.map((parameter) => renderField(parameter.name, parameter)).join('\n')}
</dl>
${requestBody ? `<h3>Request body</h3>\n${renderBody(requestBody)}` : ''}
<h3>Responses</h3>
${Object.entries(responses)
  .map(
    ([status, response]) => `<article id="${operationId}-${status}">
<h4><b class="${Number(status) < 400 ? 'good' : 'bad'}">${status}</b> ${escapeMarkup(response.description)}</h4>
${renderHeaders(response.headers)}
${Number(status) < 400 ? renderBody(response, operationId) : renderExamples(response, operationId)}
</article>`,
  )
  .join('\n')}
</section>`;
}

function renderHeaders(headers: { [name: string]: Field } = {}): string {
  const fields = Object.entries(headers).map(([name, field]) => renderField(name, field));
  return fields.length > 0 ? `<dl>\n${fields.join('\n')}\n</dl>` : '';
}

/** Renders the schema of a body and its examples. */
function renderBody(body: Body, operationId?: OperationId): string {
  const { schema } = body.content?.['application/json'] ?? {};
  if (!schema) return '';
  const fields = fieldsOf(schema);
  return [
    `<p>JSON: ${escapeMarkup(typeOf(schema))}. ${inlineMarkdown(schema.description ?? '')}</p>`,
    ...(fields.length > 0
      ? [`<dl>\n${fields.map(([name, field]) => renderField(name, field)).join('\n')}\n</dl>`]
      : []),
    renderExamples(body, operationId),
  ].join('\n');
}

/** Renders each example. For those of a response, also what the app shows when it arrives. */
function renderExamples({ content }: Body, operationId?: OperationId): string {
  const { examples = {} } = content?.['application/json'] ?? {};
  return Object.entries(examples)
    .map(([name, { summary, value }]) => {
      const screen = operationId && screenOf(operationId, value);
      return `<figure>
<figcaption>${escapeMarkup(summary)} <code>${name}</code></figcaption>
<pre>${escapeMarkup(JSON.stringify(value, null, 2))}</pre>
${screen ? `<p class="screen">The app shows: ${escapeMarkup(screen)}</p>\n` : ''}</figure>`;
    })
    .join('\n');
}

/** Returns what the conformance kit says that the app shows for this body. */
function screenOf(operation: OperationId, body: unknown): string {
  const message = (body as { message?: unknown }).message;
  const outcome =
    typeof message === 'string'
      ? ({ ok: false, message } as const)
      : ({ ok: true, value: body } as const);
  return describeScreen({ operation, outcome });
}

function renderField(name: string, { description = '', required, schema, example }: Field): string {
  const parts = [
    `${escapeMarkup(typeOf(schema))}${required ? ', <b>required</b>' : ', optional'}.`,
    ...limitsOf(schema).map((limit) => `<code>${escapeMarkup(limit)}</code>.`),
    inlineMarkdown(description),
    ...(example === undefined ? [] : [`Example: <code>${escapeMarkup(asText(example))}</code>`]),
  ];
  return `<dt><code>${escapeMarkup(name)}</code></dt><dd>${parts.join(' ')}</dd>`;
}

/** Returns the fields of an object, or of the objects in an array, with those of nested objects. */
function fieldsOf(schema: Schema, prefix = ''): [name: string, field: Field][] {
  if (schema.items) return fieldsOf(schema.items, `${prefix}[].`);
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [
    [
      prefix + key,
      {
        schema: value,
        required: schema.required?.includes(key) ?? false,
        ...(value.description && { description: value.description }),
      },
    ] satisfies [string, Field],
    ...fieldsOf(value, `${prefix}${key}.`),
  ]);
}

function typeOf({ type, items }: Schema): string {
  const text = type === undefined ? 'any value' : [type].flat().join(' or ');
  return items ? `${text} of ${typeOf(items)}` : text;
}

/** Returns every keyword of a schema that restricts a value, like `minLength: 8`. */
function limitsOf(schema: Schema): string[] {
  return Object.entries(schema)
    .filter(([keyword]) => !notLimits.has(keyword))
    .map(([keyword, limit]) => `${keyword}: ${asText(limit)}`);
}

const notLimits = new Set(['type', 'description', 'properties', 'required', 'items']);

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Renders the Markdown that the descriptions use: paragraphs, headings, lists, bold and code. */
function markdown(text = ''): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      if (block.startsWith('## ')) {
        const title = block.slice(3);
        return `<h3 id="${headingAnchor(title)}">${inlineMarkdown(title)}</h3>`;
      }
      if (!block.startsWith('- ')) return `<p>${inlineMarkdown(block)}</p>`;
      const items = block.slice(2).split(/\n- /);
      return `<ul>\n${items.map((item) => `<li>${inlineMarkdown(item)}</li>`).join('\n')}\n</ul>`;
    })
    .join('\n');
}

const headingsOf = (text: string) => [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);

function inlineMarkdown(text: string): string {
  return escapeMarkup(text.trim())
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>');
}

const color = (name: keyof typeof light) => `light-dark(${light[name]}, ${dark[name]})`;

const styles = `:root { color-scheme: light dark; background: ${color('canvas')}; color: ${color('text')}; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; } h2 { font-size: 1.4rem; } h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; } h4 { font-size: 1rem; margin: 0 0 .5rem; }
section { border-top: 1px solid ${color('line')}; margin-top: 2rem; padding-top: .5rem; }
article { background: ${color('surface')}; border: 1px solid ${color('line')}; border-radius: .5rem; margin: .75rem 0; padding: .75rem 1rem; }
:target { border-color: ${color('accent')}; }
a { color: ${color('accent')}; }
small, figcaption, dd span, nav code { color: ${color('textMuted')}; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { background: ${color('canvas')}; border: 1px solid ${color('line')}; border-radius: .25rem; margin: .25rem 0; padding: .5rem .75rem; white-space: pre-wrap; }
.address code { font-size: 1rem; font-weight: 600; }
.bad { color: ${color('critical')}; }
.screen { border-inline-start: 3px solid ${color('accent')}; margin: .25rem 0 0; padding-inline-start: .75rem; }
figure { margin: .5rem 0; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .5rem 1rem; margin: .5rem 0; } dt { font-weight: 600; } dd { margin: 0; }
@media (max-width: 40rem) { dl { display: block; } dd { margin: 0 0 .5rem; } }
`;
