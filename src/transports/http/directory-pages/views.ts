import { html, type Part } from '../../../domain/html.ts'
import { supplyPathForm, validateForms } from './forms.ts'
import { agentLink, facts, moment, publisherLink, sentences, table } from './layout.ts'
import { type Body, bodyAt, listAt, textAt, textsAt } from './read.ts'

/** How an authorisation was found, in words (AdCP publisher directory page, discovery_method). */
const METHODS: Readonly<Record<string, string>> = {
  direct: 'the publisher’s own file',
  authoritative_location: 'the file that the publisher’s own points at',
  adagents_authoritative: 'the manager’s file, which names the publisher’s properties',
  ads_txt_managerdomain: 'the manager that the publisher’s ads.txt names',
}

const HOSTING: Readonly<Record<string, string>> = {
  self: 'serves its own file',
  self_redirected: 'points at a file elsewhere',
  self_invalid: 'serves something that is no usable file',
  none: 'serves no file',
}

const path = (row: Body): Part => [
  METHODS[textAt(row, 'discovery_method')] ?? textAt(row, 'discovery_method'),
  textAt(row, 'manager_domain') !== '' && html` (${publisherLink(textAt(row, 'manager_domain'))})`,
]
const file = (row: Body): Part => [textAt(row, 'file_url'), textAt(row, 'file_form') === 'short' && ' (short form)']
const standing = (row: Body): Part =>
  textAt(row, 'status') === 'authorized' ? html`<span class="good">authorized</span>` : html`<span class="bad">revoked</span>`
const scope = (row: Body): Part => [
  `${textAt(row, 'properties_authorized')} of ${textAt(row, 'properties_total')}`,
  namedProperties(textsAt(row, 'property_ids')),
  row.signing_keys_pinned === true && ', signing keys pinned',
]

/** The first properties by name: a network may have thousands. */
function namedProperties(ids: readonly string[]): Part {
  return ids.length > 0 && `: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ' …' : ''}`
}

export function agentPage(body: Body): Part {
  const next = textAt(body, 'next_cursor')
  const agent = textAt(body, 'agent_url')
  const rows = listAt(body, 'publishers').map((row) => [
    publisherLink(textAt(row, 'publisher_domain')),
    standing(row),
    path(row),
    scope(row),
    moment(row.since),
    moment(row.last_verified_at),
    file(row),
  ])
  const headings = ['Publisher', 'Status', 'Found in', 'Properties', 'Since', 'Last verified', 'File']
  return [
    rows.length > 0 ? table('Publishers', headings, rows) : html`<p>No publisher authorises this agent at the moment.</p>`,
    next !== '' &&
      html`<p><a href="/directory/agent?agent_url=${encodeURIComponent(agent)}&amp;cursor=${encodeURIComponent(next)}">Next page</a></p>`,
  ]
}

export function publisherPage(body: Body): Part {
  const hosting = bodyAt(body, 'hosting')
  const pending = textAt(hosting, 'pending_url')
  const domain = textAt(body, 'domain')
  const claims = [...listAt(body, 'authorized_agents'), ...listAt(body, 'other_claims')].map((row) => [
    agentLink(textAt(row, 'url')),
    row.shown === true ? standing(row) : html`<span class="bad">not listed</span>: ${textAt(row, 'hidden_because')}`,
    path(row),
    scope(row),
    moment(row.since),
    moment(row.last_verified_at),
    file(row),
  ])
  const history = listAt(body, 'history').map((row) => [
    moment(row.at),
    textAt(row, 'event_type'),
    textAt(row, 'agent_url') !== '' && agentLink(textAt(row, 'agent_url')),
  ])
  const attempts = listAt(body, 'attempts').map((row) => [moment(row.attempted_at), textAt(row, 'result'), textAt(row, 'reason')])
  return [
    facts([
      ['Hosting', HOSTING[textAt(hosting, 'mode')] ?? 'not known'],
      ['File', textAt(hosting, 'resolved_url') || `none; expected at ${textAt(hosting, 'expected_url')}`],
      ['Last validated', moment(hosting.last_validated)],
      ['Next visit', moment(body.next_attempt_at)],
      ...(pending === '' ? [] : [['A changed pointer waits', pending] as const]),
    ]),
    sentences('Why no agent is listed', textsAt(body, 'not_listed_because')),
    sentences('What waits', textsAt(body, 'notes')),
    html`<h2>Agents</h2>`,
    claims.length > 0
      ? table('Agents', ['Agent', 'Status', 'Found in', 'Properties', 'Since', 'Last verified', 'File'], claims)
      : html`<p>No file names an agent for this publisher.</p>`,
    html`<p><a href="/directory/validate?domain=${encodeURIComponent(domain)}">Fetch and validate its file now</a></p>`,
    history.length > 0 && [html`<h2>History</h2>`, table('History', ['When', 'What', 'Agent'], history)],
    attempts.length > 0 && [html`<h2>Last visits</h2>`, table('Last visits', ['When', 'Result', 'Reason'], attempts)],
  ]
}

function validity(body: Body): string {
  if (body.valid === true) return 'The file is valid.'
  return body.answered === false
    ? 'The file could not be fetched, so it is unknown whether it is valid.'
    : 'The file is not valid.'
}

/** A verdict on a file that was fetched or pasted, above the forms to ask again. */
export function validationPage(body: Body | undefined, asked: Body): Part {
  if (!body) return validateForms(asked)
  const place = textAt(body, 'url') || textAt(body, 'points_at')
  return [
    html`<p class="${body.valid === true ? 'good' : 'bad'}">${validity(body)}</p>`,
    facts([
      ...(place === '' ? [] : [[body.points_at === undefined ? 'Read at' : 'Points at', place] as const]),
      ['Agents', textAt(body, 'authorized_agent_count')],
      ['Properties', textAt(body, 'property_count')],
      ...(body.discovery_method === undefined ? [] : [['Found in', path(body)] as const]),
    ]),
    sentences('Errors', textsAt(body, 'errors')),
    sentences('Warnings', textsAt(body, 'warnings')),
    html`<h2>Validate another</h2>`,
    validateForms(asked),
  ]
}

const STATES: Readonly<Record<string, string>> = {
  verified_owner_sold: 'Both files agree: the agent may sell the collection there.',
  host_delegated: 'The host names the owner as an inventory partner; its file does not name the agent for the collection.',
  owner_attested: 'Only the owner says so.',
  unverified: 'Nothing supports it.',
}

const LEGS: Readonly<Record<string, string>> = {
  owner_collection_declared: 'The owner declares the collection',
  owner_distribution_carriage: 'The owner says that the host carries it, on properties of the host',
  owner_agent_declared: 'The owner authorises the agent',
  host_authorization: 'The host authorises the agent for this collection and these properties',
  inventory_partner_domain: 'The host names the owner as an inventory partner',
}

export function supplyPathPage(body: Body | undefined, asked: Body): Part {
  if (!body) return supplyPathForm(asked)
  const legs = Object.entries(LEGS).map(([name, words]) => {
    const leg = bodyAt(bodyAt(body, 'legs'), name)
    return [
      words,
      leg.ok === true ? html`<span class="good">yes</span>` : html`<span class="bad">no</span>: ${textAt(leg, 'failure')}`,
    ]
  })
  const state = textAt(body, 'state')
  return [
    html`<p class="${state === 'verified_owner_sold' ? 'good' : 'bad'}">${state}: ${STATES[state]}${state !== 'verified_owner_sold' && body.answered === false && ' Not all files could be fetched, so that a stronger path may exist.'}</p>`,
    facts([
      ['Collection', textAt(body, 'resolved_collection_id') || 'none'],
      ['Owner', publisherLink(textAt(body, 'owner_domain'))],
      ['Host', publisherLink(textAt(body, 'host_domain'))],
      ['Agent', agentLink(textAt(body, 'agent_url'))],
      ['Rules', `supply-path semantics version ${textAt(body, 'semantics_version')}`],
    ]),
    html`<h2>The path</h2>`,
    table('The path', ['Part', 'Holds'], legs),
    sentences('Not read', textsAt(body, 'unread')),
    html`<h2>Judge another</h2>`,
    supplyPathForm(asked),
  ]
}
