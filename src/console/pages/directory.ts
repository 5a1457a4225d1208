import { joinDirectory } from '../../operator/directory/change-crawl-list.ts'
import { type PublisherCrawl, showOwnDirectory } from '../../operator/directory/directory-of-publisher.ts'
import { examineForPublisher } from '../../operator/doctor/examine-for-publisher.ts'
import type { Examination } from '../../operator/doctor/examine-own.ts'
import { showPublisherIdentity } from '../../operator/identity/show-identity.ts'
import type { Of } from '../../operator/shape.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { count, moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, empty, facts, heading, statusBadge, type Tone, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

type Finding = Examination['findings'][number]

/** What others find of the publisher: adagents.json, brand.json, the keys that sign, and what the directory says of it. */
export const directoryRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/directory', showOwnDirectory, (call) => directoryPage(call)),
  actRoute('POST', '/directory/crawl', joinDirectory, putOnCrawlList),
  actRoute('POST', '/directory/examine', examineForPublisher, async (call) =>
    directoryPage(call, await doAct(call, examineForPublisher, {})),
  ),
]

async function putOnCrawlList(call: TenantCall): Promise<Answer> {
  await doAct(call, joinDirectory, {})
  return redirect(`${call.base}/directory`, 'crawling')
}

async function directoryPage(call: TenantCall, examination?: Examination): Promise<Answer> {
  const { tenant, base } = call
  const identity = await doAct(call, showPublisherIdentity, {})
  const { crawl, authorised_by: publishers } = await doAct(call, showOwnDirectory, {})
  const [file] = identity.adagents
  const keys = identity.keys.map(({ kid, purpose, state, created_at: at }) => [
    html`<code>${kid}</code>`,
    words(purpose),
    statusBadge(state),
    moment(at),
  ])
  const problems =
    identity.problems.length > 0 &&
    html`<div class="notice warn"><p>Before these documents can be published:</p><ul>${identity.problems.map((text) => html`<li>${text}</li>`)}</ul></div>`
  const examine = may(call, examineForPublisher)
    ? act(call, `${base}/directory/examine`, 'Examine it as buyers see it', { kind: 'primary' })
    : undefined
  const body = html`${heading('Directory and identity', examine, 'Who may sell for you, and how others check what you sign.')}
${examination && findingPanel(examination)}
${problems}
<section class="panel"><h2>adagents.json</h2><p>Served at <code>${file?.url}</code>; publish it at <code>https://${tenant.domain}/.well-known/adagents.json</code>, or let that address redirect here.</p>
<details><summary>The document</summary><pre>${JSON.stringify(file?.document ?? {}, undefined, 2)}</pre></details></section>
${crawlPanel(call, crawl)}
<section class="panel"><h2>Publishers that authorise this agent</h2>${authorisers(publishers)}</section>
<section class="panel"><h2>brand.json</h2><p>Served at <code>${identity.brand_json.url}</code>.</p>
<details><summary>The entry of this agent</summary><pre>${JSON.stringify(identity.brand_json.agents_entry, undefined, 2)}</pre></details></section>
<section class="panel"><h2>Signing keys</h2><p>Published at <code>${identity.jwks_uri}</code>.</p>${table('Signing keys', ['Key', 'Purpose', 'State', 'Made'], keys)}</section>`
  return page('Directory and identity', body)
}

const TONES: Readonly<Record<Finding['outcome'], Tone>> = { ok: 'good', warning: 'warn', problem: 'bad', skipped: 'calm' }

/** What buyers find, link by link, with what to do about it. */
function findingPanel({ agent_url: url, healthy, findings }: Examination): Html {
  const rows = findings.map(({ check, outcome, text, advice }) => [
    words(check),
    badge(outcome, TONES[outcome]),
    html`${text}${advice !== undefined && html`<small>${advice}</small>`}`,
  ])
  const verdict = healthy
    ? html`<p class="notice good" role="status">Buyers can reach, trust and verify this agent.</p>`
    : html`<p class="notice bad" role="status">Something keeps buyers from reaching, trusting or verifying this agent.</p>`
  return html`<section class="panel"><h2>What buyers find at <code>${url}</code></h2>${verdict}${table('Findings', ['Check', 'Outcome', 'Finding, and what to do'], rows)}</section>`
}

/** The newest visits of the crawler, and whom the publisher's files authorise. */
function crawlPanel(call: TenantCall, crawl: PublisherCrawl | null): Html {
  const { domain } = call.tenant
  const add =
    may(call, joinDirectory) && act(call, `${call.base}/directory/crawl`, 'Put it on the crawl list', { kind: 'primary' })
  if (!crawl)
    return html`<section class="panel"><h2>Agents that may sell for ${domain}</h2>${empty(`${domain} is not on the crawl list`, 'On the list, its adagents.json and brand.json are read at once, and again each day.')}${add}</section>`
  const claims = crawl.claims.map((claim) => [
    claim.agent_url,
    claim.discovery_method.replaceAll('_', ' '),
    statusBadge(claim.status),
    `${claim.properties_authorized} of ${claim.properties_total}`,
    html`${claim.shown ? badge('shown', 'good') : badge('not shown', 'warn')}${claim.hidden_because !== undefined && html`<small>${claim.hidden_because}</small>`}`,
    moment(claim.last_verified_at),
  ])
  const attempts = crawl.attempts.map(({ attempted_at: at, result, reason, duration_ms: ms }) => [
    moment(at),
    statusBadge(result),
    reason ?? '–',
    `${count(ms)} ms`,
  ])
  const columns = ['Agent', 'Found by', 'Status', 'Properties', 'In look-ups', 'Verified']
  return html`<section class="panel"><h2>Agents that may sell for ${domain}</h2>${facts([
    ['It serves', words(crawl.serves)],
    ['Found by', crawl.discovery_method?.replaceAll('_', ' ')],
    ['Managed by', crawl.manager_domain],
    ['Next visit', crawl.next_attempt_at === null ? undefined : moment(crawl.next_attempt_at)],
  ])}
${claims.length > 0 ? table('Agents', columns, claims) : html`<ul>${crawl.not_listed_because.map((text) => html`<li>${text}</li>`)}</ul>`}
${attempts.length > 0 && html`<details><summary>Visits of the crawler</summary>${table('Visits', ['When', 'Result', 'Reason', { title: 'Time', numeric: true }], attempts)}</details>`}</section>`
}

function authorisers(publishers: Of<(typeof showOwnDirectory)['answer']>['authorised_by']): Html {
  const rows = publishers.map((entry) => [
    entry.publisher_domain,
    entry.discovery_method.replaceAll('_', ' '),
    entry.manager_domain ?? '–',
    `${entry.properties_authorized} of ${entry.properties_total}`,
    moment(entry.last_verified_at),
  ])
  if (rows.length === 0)
    return empty(
      'The directory has no publisher that authorises this agent',
      'It lists those whose adagents.json names the address of this agent.',
    )
  return table('Publishers', ['Publisher', 'Found by', 'Manager', 'Properties', 'Verified'], rows)
}
