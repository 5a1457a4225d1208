import { currentAct } from '../../domain/audit/former-acts.ts'
import { ACTS } from '../../operator/acts.ts'
import type { entryShape } from '../../operator/audit/audit-shapes.ts'
import type { NamedOrderFacts } from '../../operator/orders/name-orders.ts'
import type { Of } from '../../operator/shape.ts'
import { money, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { activityOf } from './activity-words.ts'

/** What ids of entries stand for. */
export interface ActivityNames {
  readonly orders: ReadonlyMap<string, NamedOrderFacts>
  readonly accounts: ReadonlyMap<string, string>
  /** Tasks that have a page in the inbox. */
  readonly tasks: ReadonlySet<string>
}

export type AuditEntry = Of<typeof entryShape>

/** An entry of the audit log as a sentence without its subject: `approved <code>task_1</code>`, with the amount of an order. */
export function activitySentence(
  { task, subject, account, replay, count }: AuditEntry,
  base: string,
  { orders, accounts, tasks }: ActivityNames,
): Html {
  const order = subject === undefined ? undefined : orders.get(subject)
  const about = order
    ? html` <a href="${`${base}/orders/${encodeURIComponent(subject ?? '')}`}">${order.advertiser ?? subject}</a> of ${money(order.budget, order.currency)}`
    : subject !== undefined && html` ${subjectLink(task, subject, base, tasks)}`
  return html`${activityOf(currentAct(task)) ?? words(task).toLowerCase()}${about}${account !== undefined && html` for ${accounts.get(account) ?? html`account <code>${account}</code>`}`}${replay === true && ' (answered again)'}${count !== undefined && ` (${count} times)`}${order && html` <small>${subject}</small>`}`
}

/** Pages of what acts are about, by the field of the act that names it. */
const PAGES: ReadonlyMap<string | undefined, string> = new Map([
  ['buyer', 'buyers'],
  ['order', 'orders'],
  ['product', 'products'],
  ['placement', 'placements'],
  ['invoice', 'billing'],
  ['report', 'reports/saved'],
  ['webhook', 'webhooks'],
])
/** The same of entries under names that acts take while they run, or had in earlier versions. */
const PAGES_OF_GROUPS = [
  [/^direct-orders\./, 'direct-orders'],
  [/^adopted-orders\./, 'adopted-orders'],
  [/^buyers\./, 'buyers'],
] as const

/** The page of what an act is about, below those of the publisher; undefined: it has none, or the act took it away. */
function folderOf(task: string): string | undefined {
  const name = currentAct(task)
  const act = ACTS.find((each) => each.name === name)
  if (act?.method === 'DELETE' && act.path.endsWith(`/{${act.subject}}`)) return undefined
  return PAGES.get(act?.subject) ?? PAGES_OF_GROUPS.find(([pattern]) => pattern.test(name))?.[1]
}

/** An id, as a link where it has a page. Entries of earlier versions name some buyers by the address of their agent, which has none. */
function subjectLink(task: string, subject: string, base: string, tasks: ReadonlySet<string>): Html {
  const folder = tasks.has(subject) ? 'inbox' : subject.includes('://') ? undefined : folderOf(task)
  if (folder === undefined) return html`<code>${subject}</code>`
  return html`<a href="${`${base}/${folder}/${encodeURIComponent(subject)}`}"><code>${subject}</code></a>`
}
