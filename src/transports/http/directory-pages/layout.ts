import { createHash } from 'node:crypto'
import { Html, html, type Part } from '../../../domain/html.ts'

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--bad:#b00020;--good:#0a6b2d}
@media(prefers-color-scheme:dark){:root{--bad:#ff8a95;--good:#7ddc9a}}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2rem}
nav a{margin-right:1rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:600;white-space:nowrap}dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1rem}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}.scroll{overflow-x:auto}
td{min-width:6.5rem}.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}td .good{white-space:nowrap}
form{margin:.8rem 0;padding:1rem;background:var(--soft);border-radius:.5rem}
label{display:block;margin:.4rem 0 .1rem}input,textarea{width:100%;max-width:40rem;box-sizing:border-box;font:inherit;padding:.4rem}
textarea{font-family:ui-monospace,monospace;min-height:12rem;max-width:100%}button{display:block;font:inherit;padding:.4rem 1.2rem;margin-top:.8rem}
footer{margin-top:3rem;font-size:.9rem}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The pages run nothing and load nothing; their one style is named by its hash. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** A whole page. */
export function layout(title: string, content: Part): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body>
<nav aria-label="Directory"><a href="/directory">Look up</a><a href="/directory/validate">Validate a file</a><a href="/directory/supply-path">Supply path</a></nav>
<main><h1>${title}</h1>
${content}
</main>
<footer>What a publisher's own adagents.json says decides; this directory shows what it last read. The same address answers JSON to <code>Accept: application/json</code>.</footer>
</body></html>`.text
}

/** A table with a caption for those who cannot see it. */
export function table(caption: string, headings: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
}

/** Names with what they stand for. */
export function facts(entries: readonly (readonly [name: string, value: Part])[]): Html {
  return html`<dl>${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** A list of sentences, or nothing. */
export function sentences(heading: string, list: readonly string[]): Part {
  return list.length > 0 && html`<h2>${heading}</h2><ul>${list.map((each) => html`<li>${each}</li>`)}</ul>`
}

/** A moment as people read it; ISO 8601 stays in the attribute. */
export function moment(at: unknown): Part {
  return typeof at === 'string' ? html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>` : 'not known'
}

export const publisherLink = (domain: string): Html =>
  html`<a href="/directory/publisher?domain=${encodeURIComponent(domain)}">${domain}</a>`

export const agentLink = (url: string): Html => html`<a href="/directory/agent?agent_url=${encodeURIComponent(url)}">${url}</a>`
