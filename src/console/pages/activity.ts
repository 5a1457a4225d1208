import { listAuditEntries, verifyAudit } from '../../operator/audit/read-audit.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { badge, empty, field, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, type TenantCall, tenantRoute } from '../route.ts'

/** The audit log, and whether its chain holds. */
export const activityRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/activity', READERS, activityPage),
  tenantRoute('GET', '/activity/check', READERS, checkPage),
]

const PAGE = 50

type Entry = Awaited<ReturnType<typeof listAuditEntries>>[number]

async function activityPage({ operator, tenantId, query, base }: TenantCall): Promise<Answer> {
  const [who, task] = [query.get('who') || undefined, query.get('what') || undefined]
  const before = Number(query.get('before')) || undefined
  const found = await listAuditEntries(operator, tenantId, { principal: who, task, before, limit: PAGE + 1 })
  const entries = found.slice(0, PAGE)
  const rows = entries.map((entry) => [
    moment(entry.at),
    html`<a href="${base}/activity?who=${encodeURIComponent(entry.principal ?? '')}">${nameOf(entry)}</a><small>${entry.transport}</small>`,
    sentenceOf(entry),
    entry.outcome === 'ok' ? badge('done', 'good') : badge(entry.outcome.toLowerCase().replaceAll('_', ' '), 'bad'),
    entry.seq,
  ])
  const form = html`<form class="filters" method="get" action="${base}/activity" role="search">${field('who', 'Who', { value: who ?? '' })}${field('what', 'What', { value: task ?? '' })}<button>Show</button></form>`
  const next = new URLSearchParams(query)
  next.set('before', String(entries.at(-1)?.seq ?? 0))
  const pager =
    found.length > PAGE &&
    html`<nav class="pages" aria-label="Pages of the list"><a class="button" href="${base}/activity?${next.toString()}">Older</a></nav>`
  const list =
    rows.length === 0
      ? empty('Nothing has happened yet')
      : table('Activity', ['When', 'Who', 'What', 'Outcome', { title: 'No.', numeric: true }], rows)
  const actions = html`<a class="button" href="${base}/activity/check">Check the chain</a>`
  return page(
    'Activity',
    html`${heading('Activity', actions, 'Every change and every refusal, in a chain of hashes that shows if an entry is altered.')}${form}${list}${pager}`,
  )
}

/** People by their user name, agents by their id. */
function nameOf({ principal, credential }: Entry): string {
  if (principal === undefined) return 'unknown caller'
  if (principal.startsWith('person:')) return principal.slice('person:'.length)
  return principal === 'operator' ? (credential ?? principal) : principal
}

/** `approvals.approve` as `approved a request` with what it was about. */
function sentenceOf({ task, subject, account, replay, count }: Entry): Html {
  const text = SENTENCES[task] ?? task
  return html`${text}${subject !== undefined && html` <code>${subject}</code>`}${account !== undefined && html` for account <code>${account}</code>`}${replay === true && ' (answered again)'}${count !== undefined && ` (${count} times)`}`
}

const SENTENCES: Readonly<Record<string, string>> = {
  create_media_buy: 'placed an order',
  update_media_buy: 'changed an order',
  sync_creatives: 'sent creatives',
  sync_accounts: 'declared accounts',
  'approvals.approve': 'approved',
  'approvals.reject': 'rejected',
  'approvals.ask': 'asked the buyer about',
  'creatives.approve': 'approved the creative',
  'creatives.preview-link': 'made a preview link for the creative',
  'creatives.upload': 'uploaded the file',
  'creatives.reject': 'rejected the creative',
  'creatives.rule': 'set what becomes of the creatives of',
  'orders.pause': 'paused the order',
  'orders.resume': 'resumed the order',
  'orders.cancel': 'canceled the order',
  'orders.extend': 'extended the order',
  'products.import': 'imported products',
  'calls.watch': 'began to record the calls of',
  'principals.add': 'added the buyer',
  'principals.suspend': 'suspended the buyer',
  'principals.resume': 'resumed the buyer',
  'keys.create': 'made a key for',
  'keys.rotate': 'rotated the key',
  'keys.revoke': 'revoked the key',
  'accounts.status': 'set the account status to',
  'people.invite': 'invited a person',
  'people.join': 'accepted an invitation as',
  'people.role': 'changed the role of',
  'people.remove': 'removed',
  'tenants.set': 'changed the settings',
  'approvals.policy': 'changed the approval policy',
}

async function checkPage({ operator, tenantId }: TenantCall): Promise<Answer> {
  const { chains, waiting } = await verifyAudit(operator, { tenantId })
  const body = html`${heading('The chain of the activity log')}<section class="panel"><pre>${JSON.stringify({ chains, waiting }, undefined, 2)}</pre></section>`
  return page('The chain of the activity log', body)
}
