import { type Html, html } from '../../../domain/html.ts'
import type { Body } from './read.ts'
import { textAt } from './read.ts'

/** Looks up what was entered: an address is an agent's, anything else a publisher's domain. */
export function lookupForm(asked = ''): Html {
  return html`<form action="/directory" role="search"><label for="q">Agent URL or publisher domain</label>
<input id="q" name="q" value="${asked}" required maxlength="2048" placeholder="https://ads.example/mcp or news.example">
<button>Look up</button></form>`
}

export function validateForms(asked: Body = {}): Html {
  return html`<form action="/directory/validate"><label for="domain">Domain that serves the file</label>
<input id="domain" name="domain" value="${textAt(asked, 'domain')}" required maxlength="300" placeholder="news.example">
<button>Fetch and validate</button></form>
<form action="/directory/validate" method="post"><label for="document">Or paste an adagents.json</label>
<textarea id="document" name="document" required spellcheck="false">${textAt(asked, 'text')}</textarea>
<label for="for">Domain that will serve it (optional)</label><input id="for" name="domain" maxlength="300" value="${textAt(asked, 'domain')}">
<button>Validate</button></form>`
}

export function supplyPathForm(asked: Body = {}): Html {
  const field = (name: string, label: string, required: boolean) =>
    html`<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${textAt(asked, name)}" maxlength="2048"${required && html` required`}>`
  return html`<p>May an agent sell the collection of one publisher on the inventory of another? Both files are fetched and judged.</p>
<form action="/directory/supply-path">${field('owner_domain', 'Owner of the collection', true)}
${field('host_domain', 'Host that carries it', true)}${field('agent_url', 'Agent URL', true)}
${field('collection_id', 'Collection (optional)', false)}<button>Judge</button></form>`
}
