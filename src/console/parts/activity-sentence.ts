import { currentAct } from '../../domain/audit/former-acts.ts'
import { ACTS } from '../../operator/acts.ts'
import type { entryShape } from '../../operator/audit/audit-shapes.ts'
import type { NamedOrderFacts } from '../../operator/orders/name-orders.ts'
import type { Of } from '../../operator/shape.ts'
import { money, words } from '../format.ts'
import { type Html, html } from '../html.ts'

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

/** What was done, by the task of the entry. A task that is not listed shows as its name. */
export const ACTIVITIES = {
  create_media_buy: 'placed an order',
  update_media_buy: 'changed an order',
  sync_creatives: 'sent creatives',
  sync_accounts: 'declared accounts',
  sync_audiences: 'sent audiences',
  sync_catalogs: 'sent catalogs',
  sync_plans: 'sent plans',
  log_event: 'reported conversions',
  acquire_rights: 'asked for rights',
  activate_signal: 'activated a signal',
  'accounts.credit': 'set the credit limit',
  'accounts.grant': 'shared an account with',
  'accounts.payment': 'noted a payment',
  'accounts.revoke': 'stopped sharing an account with',
  'accounts.status': 'set the account status to',
  'accounts.take-back-payment': 'took back a payment',
  'admin-keys.create': 'made a key of the admin API',
  'admin-keys.create-for': 'made a key of the admin API',
  'admin-keys.revoke': 'revoked the key of the admin API',
  'adopted-orders.adopt': 'took over from the ad server the order',
  'adservers.add': 'added an ad server',
  'adservers.gone': 'said that something is gone at the ad server',
  'adservers.adopt': 'took over a change at the ad server',
  'adservers.credentials': 'stored credentials of the ad server',
  'adservers.import': 'imported a sheet of the ad server',
  'adservers.remove': 'removed the ad server',
  'adservers.remove-credentials': 'deleted credentials of the ad server',
  'adservers.report': 'read delivery from the ad server again',
  'adservers.save-drafts': 'saved drafts of products of the ad server',
  'adservers.set': 'changed an ad server',
  'adservers.sync': 'wrote orders to the ad server again',
  'adservers.test': 'tried a live order',
  'approvals.approve': 'approved',
  'approvals.ask': 'asked the buyer about',
  'approvals.policy': 'changed the approval policy',
  'approvals.reject': 'rejected',
  'billing.add-charge': 'charged or credited beside delivery the order',
  'billing.close': 'closed the month',
  'billing.credit': 'wrote a credit note of the invoice',
  'billing.record-payment': 'recorded a payment of the invoice',
  'billing.set-details': 'changed what invoices say of the publisher',
  'billing.take-back-charge': 'took back the charge',
  'billing.take-back-payment': 'took back a payment of the invoice',
  'brands.import': 'imported brands',
  'buyers.add': 'added the buyer',
  'buyers.add-signing-keys': 'registered signing keys of',
  'buyers.answer-text': 'set the form of answers to',
  'buyers.billing': 'set who is billed for accounts of',
  'buyers.remove-signing-keys': 'removed the signing keys of',
  'buyers.require-signing': 'set whether changes have to be signed by',
  'buyers.resume': 'resumed the buyer',
  'buyers.status': 'set the status of the buyer',
  'buyers.suspend': 'suspended the buyer',
  'calls.watch': 'began to record the calls of',
  'certificates.pin': 'pinned a certificate of',
  'certificates.unpin': 'removed a certificate of',
  'changes.subscribe': 'subscribed an address to changes',
  'changes.test': 'sent a test to the subscription',
  'changes.unsubscribe': 'ended the subscription',
  'creatives.approve': 'approved the creative',
  'creatives.preview-link': 'made a preview link for the creative',
  'creatives.purge': 'destroyed the creative',
  'creatives.reject': 'rejected the creative',
  'creatives.review': 'set who reviews creatives:',
  'creatives.remove-rule': 'took away the rule for creatives of',
  'creatives.rule': 'set what becomes of the creatives of',
  'creatives.upload': 'uploaded the file',
  'delivery.rebuild': 'summed delivery up again',
  'direct-orders.cancel': 'canceled for its advertiser the direct order',
  'direct-orders.change': 'changed the direct order',
  'direct-orders.end': 'ended the direct order',
  'direct-orders.pause': 'paused the direct order',
  'direct-orders.put': 'booked the direct order',
  'direct-orders.resume': 'resumed the direct order',
  'direct-orders.state': 'changed the state of the direct order',
  'directory.add': 'put on the crawl list',
  'directory.block': 'blocked',
  'directory.join': 'put the domain of the publisher on the crawl list:',
  'directory.remove': 'took off the crawl list',
  'directory.remove-mirror': 'forgot what the directory said:',
  'directory.subscribe': 'subscribed to the directory',
  'directory.unblock': 'unblocked',
  'directory.unsubscribe': 'ended the directory subscription',
  'formats.import': 'imported formats',
  'formats.remove': 'removed the format',
  'governance.approved': 'approved the spending',
  'governance.decide': 'decided on the spending',
  'governance.rejected': 'rejected the spending',
  'governance.revoke': 'took back the approval of',
  'identity.init': 'made the signing keys',
  'identity.rotate': 'rotated the signing keys',
  'identity.replace': 'replaced the signing keys',
  init: 'set the publisher up',
  'jwt-issuers.add': 'trusted the token issuer',
  'jwt-issuers.map': 'mapped a subject of the issuer',
  'jwt-issuers.remove': 'no longer trusts the issuer',
  'keys.create': 'made a key for',
  'keys.revoke': 'revoked the key',
  'keys.revoke-signing': 'revoked the signing key',
  'keys.rotate': 'rotated the key',
  'make-goods.credit': 'offered a credit for a line that fell short of',
  'make-goods.decide': 'decided on a make-good of',
  'make-goods.policy': 'changed the policy of make-goods',
  'make-goods.offer': 'offered to deliver what a line missed of',
  'notifications.remove': 'removed a channel of notifications',
  'notifications.set': 'set a channel of notifications',
  'notifications.test': 'tested a channel of notifications',
  'oauth.end-grant': 'disconnected the assistant',
  'oauth.remove-client': 'removed the assistant',
  'oauth.revoke': 'disconnected the assistant',
  'oauth.rotate-key': 'changed the key of access tokens',
  'orders.cancel': 'canceled the order',
  'orders.extend': 'extended the order',
  'orders.note': 'noted something on the order',
  'orders.pause': 'paused the order',
  'orders.resume': 'resumed the order',
  'orders.set-terms': 'changed the terms of the order',
  'people.invite': 'invited a person',
  'people.invite-everywhere': 'invited a person for every publisher',
  'people.join': 'accepted an invitation as',
  'people.password': 'changed the password of',
  'people.remove': 'removed',
  'people.revoke': 'ended the sign-in of',
  'people.role': 'changed the role of',
  'people.sign-in': 'signed in',
  'people.sign-out': 'signed out',
  'people.uninvite': 'took an invitation back',
  'placements.remove': 'took away what was set for the placement',
  'placements.save': 'set up the placement',
  'privacy.erase': 'erased personal data',
  'products.archive': 'took off sale',
  'products.import': 'imported products',
  'products.restore': 'put on sale again',
  'products.save': 'saved the product',
  'products.set': 'changed the product',
  'registry.add': 'registered',
  'registry.remove': 'removed from the registry',
  'rights.approve': 'approved the rights',
  'rights.reject': 'rejected the rights',
  'rights.revoke': 'revoked the rights',
  'reports.forget': 'removed the saved report',
  'reports.save': 'saved the report',
  'reports.schedule': 'set who gets by mail, and when, the report',
  'reports.settle': 'settled what a buyer said of a report:',
  'reports.unschedule': 'ended the mails of the report',
  'secrets.retire': 'took out of use the deployment secret',
  'secrets.rotate': 'changed the deployment secret to',
  'sessions.erase': 'erased conversations',
  'signals.import': 'imported signals',
  'tenants.add': 'added the publisher',
  'tenants.remove': 'removed the publisher',
  'tenants.set': 'changed the settings',
  'tenants.set-public': 'changed who answers public calls',
  'settings.set': 'changed the settings',
  'trusted-match.add-provider': 'added the provider of Trusted Match',
  'trusted-match.remove-provider': 'removed the provider of Trusted Match',
  'trusted-match.revoke-key': 'revoked a key of Trusted Match',
  'trusted-match.rotate-key': 'rotated the key of Trusted Match',
  'trusted-match.rotate-sync-key': 'rotated the sync key of Trusted Match',
  'trusted-match.set-provider': 'changed the provider of Trusted Match',
  'users.add': 'added the user',
  'users.allow': 'let a user act for',
  'users.disallow': 'no longer lets a user act for',
  'users.revoke': 'revoked the user',
  'webhooks.redeliver': 'sent the webhook again',
} as const satisfies Readonly<Record<string, string>>

/** What was done, in words; undefined for a task that is not listed. */
export function activityOf(task: string): string | undefined {
  return isListed(task) ? ACTIVITIES[task] : undefined
}

function isListed(task: string): task is keyof typeof ACTIVITIES {
  return Object.hasOwn(ACTIVITIES, task)
}

/** Acts by which a person decides on something, or changes it: who comes second is told who was first. */
export const DECISIONS: readonly (keyof typeof ACTIVITIES)[] = [
  ...(['approvals.approve', 'approvals.reject', 'approvals.ask'] as const),
  ...(['creatives.approve', 'creatives.reject', 'creatives.purge'] as const),
  ...(['rights.approve', 'rights.reject'] as const),
  ...(['governance.approved', 'governance.rejected'] as const),
  ...(['direct-orders.change', 'direct-orders.put', 'direct-orders.pause', 'direct-orders.resume'] as const),
  ...(['direct-orders.end', 'direct-orders.cancel'] as const),
  ...(['orders.pause', 'orders.resume', 'orders.cancel', 'orders.extend'] as const),
]
