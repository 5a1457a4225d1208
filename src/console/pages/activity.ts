import { nameAccounts } from '../../operator/accounts/name-accounts.ts'
import { knownTasks } from '../../operator/approvals/known-tasks.ts'
import { listAuditEntries, verifyAudit } from '../../operator/audit/audit-acts.ts'
import { changeTexts } from '../../operator/audit/change-text.ts'
import { nameOrders } from '../../operator/orders/name-orders.ts'
import { actRoute, doAct } from '../do-act.ts'
import { count, moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { type AuditEntry, activitySentence } from '../parts/activity-sentence.ts'
import { badge, empty, facts, field, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** The audit log, and whether its chain holds. */
export const activityRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/activity', listAuditEntries, activityPage),
  actRoute('GET', '/activity/check', verifyAudit, checkPage),
]

const LEAD =
  'Every change by your people and your buyers, with old and new values of what your people changed, and every call of a buyer that was refused; in a chain of hashes that shows if an entry is altered.'
/** Changes of an entry that are shown at once. */
const AT_ONCE = 3

async function activityPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, query, base } = call
  const [who, task] = [query.get('who') || undefined, query.get('what') || undefined]
  const cursor = query.get('before') || undefined
  const { items: entries, next_cursor: older } = await doAct(call, listAuditEntries, { who, task, cursor })
  const orders = await nameOrders(
    operator,
    tenantId,
    entries.flatMap(({ subject }) => (subject?.startsWith('mb_') ? [subject] : [])),
  )
  const tasks = await knownTasks(
    operator,
    tenantId,
    entries.flatMap(({ subject }) => (subject?.startsWith('task_') ? [subject] : [])),
  )
  const accounts = await nameAccounts(
    operator,
    tenantId,
    entries.map(({ account }) => account),
  )
  const rows = entries.map((entry) => [
    moment(entry.at),
    html`<a href="${base}/activity?who=${encodeURIComponent(entry.principal ?? '')}">${nameOf(entry)}</a><small>${entry.transport}</small>`,
    html`<span class="sentence">${activitySentence(entry, base, { orders, accounts, tasks })}</span>${changeList(entry)}`,
    entry.outcome === 'ok' ? badge('done', 'good') : badge(entry.outcome.toLowerCase().replaceAll('_', ' '), 'bad'),
    entry.seq,
  ])
  const form = html`<form class="filters" method="get" action="${base}/activity" role="search">${field('who', 'Who', { value: who ?? '' })}${field('what', 'What', { value: task ?? '' })}<button>Show</button></form>`
  const next = new URLSearchParams(query)
  next.set('before', older ?? '')
  const pager =
    older !== null &&
    html`<nav class="pages" aria-label="Pages of the list"><a class="button" href="${base}/activity?${next.toString()}">Older</a></nav>`
  const list =
    rows.length === 0
      ? empty('Nothing has happened yet')
      : table('Activity', ['When', 'Who', 'What', 'Outcome', { title: 'No.', numeric: true }], rows)
  const actions = html`<a class="button" href="${base}/activity/check">Check the chain</a>`
  return page('Activity', html`${heading('Activity', actions, LEAD)}${form}${list}${pager}`)
}

/** Old and new value of what an act changed. */
function changeList({ changes }: AuditEntry): Html | false {
  const texts = changeTexts(changes)
  if (texts.length === 0) return false
  const list = html`<ul class="changes">${texts.map((text) => html`<li>${text}</li>`)}</ul>`
  return texts.length <= AT_ONCE ? list : html`<details><summary>${texts.length} changes</summary>${list}</details>`
}

/** People by their user name, buyers by their id. */
function nameOf({ principal, credential }: AuditEntry): string {
  if (principal === undefined) return 'unknown caller'
  if (principal.startsWith('person:')) return principal.slice('person:'.length)
  return principal === 'operator' ? (credential ?? principal) : principal
}

/** Whether the chain holds, in words; its newest hash is for those who note it elsewhere. */
async function checkPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const { chains, waiting } = await doAct(call, verifyAudit, {})
  const panels = chains.map(({ links, head, broken }) =>
    broken === undefined
      ? html`<p class="notice good" role="status">${count(links)} entries follow one another without a gap or a change.</p>${facts(
          [
            ['Newest number', links],
            ['Its hash', html`<code>${head}</code>`],
            ['Not in the chain yet', waiting],
          ],
        )}`
      : html`<p class="notice bad" role="alert">The chain is broken: ${broken}.</p>`,
  )
  const back = html`<a class="button" href="${base}/activity">Back to the activity</a>`
  const body = html`${heading('The chain of the activity log', back)}<section class="panel">${panels.length === 0 ? empty('Nothing is in the chain yet') : panels}</section>`
  return page('The chain of the activity log', body)
}
