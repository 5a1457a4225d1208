import type { ApprovalWhen } from '../../domain/approval/policy.ts'
import { currencyOf } from '../../domain/identity/publisher-settings.ts'
import { setApprovalPolicy, showApprovalPolicy, tryApprovalPolicy } from '../../operator/approvals/approval-policy.ts'
import { type ShownPolicy, whensOf } from '../../operator/approvals/shown-policy.ts'
import { setSettings } from '../../operator/tenants/tenant-acts.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { orAgain, storedFormRoute, withRefusal } from '../form-outcome.ts'
import { inputOf } from '../form-text.ts'
import { money as amount, count, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { badge, choice, csrfField, facts, field, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, pageRoute, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'
import { adServerPanel, adServerRoutes } from './ad-servers.ts'
import { publisherForm, publisherSettingsRoutes, retentionPanel } from './publisher-settings.ts'

/** More rows than a person reads. */
const SHOWN_ORDERS = 100

const WHENS = [
  ['never', 'Never'],
  ['rules', 'By rules'],
  ['always', 'Always'],
] as const satisfies readonly (readonly [ApprovalWhen, string])[]

/** What each task brings to the inbox. */
const TITLES: Readonly<Record<string, string>> = {
  create_media_buy: 'New orders',
  update_media_buy: 'Changes of orders',
  acquire_rights: 'Rights for campaigns',
  sync_creatives: 'New creatives',
  sync_accounts: 'New accounts',
}

/** What the rules are, besides those of the form. */
const RULES_OF: Readonly<Record<string, string>> = {
  sync_creatives:
    'Always: a person decides on each. Rules: what this server cannot check in full waits. A buyer may have a rule of its own, on its page.',
  sync_accounts: 'Rules: with checks of operators on, an account waits unless the brand names its operator.',
}

/** What the forms of the policy call the fields of its act. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['hours', 'Hours until requests expire'],
  ['when', 'Whether it needs approval'],
  ['above', 'From a budget above'],
  ['above_in', 'The same in other currencies'],
  ['products', 'Products'],
])

/** The publisher's own settings. */
export const settingsRoutes: readonly ConsoleRoute[] = [
  pageRoute('/settings', settingsPage),
  storedFormRoute('/settings/approvals', setApprovalPolicy, {
    labels: LABELS,
    read: readRule,
    save: savePolicy,
    again: withRefusal(settingsPage),
  }),
  actRoute('POST', '/settings/approvals/try', tryApprovalPolicy, orAgain(tryPolicy, withRefusal(settingsPage))),
  storedFormRoute('/settings/expiry', setApprovalPolicy, {
    labels: LABELS,
    read: async (call) => ({ hours: String((await doAct(call, showApprovalPolicy, {})).expires_hours) }),
    save: saveExpiry,
    again: withRefusal(settingsPage),
  }),
  ...publisherSettingsRoutes(settingsPage),
  ...adServerRoutes(settingsPage),
]

async function settingsPage(call: TenantCall): Promise<Answer> {
  const { operator, tenant } = call
  const policy = await doAct(call, showApprovalPolicy, {})
  const { settings } = tenant
  const body = html`${heading('Settings', undefined, `${tenant.name}, ${tenant.domain}`)}
<div class="columns">${may(call, setSettings) && publisherForm(call)}
<section class="panel"><h2>As it is now</h2>${facts([
    ['Id', tenant.tenant],
    ['Domain', tenant.domain],
    ['Time zone', settings.time_zone ?? operator.config.ads.timeZone],
    ['Currency', currencyOf(settings)],
    ['Answers callers without a key', tenant.public_default ? 'yes' : `at /t/${tenant.tenant}/mcp`],
    ['Signing profile', settings.signing_profile],
    ['Checks operators of accounts', settings.verify_operators ? 'yes' : 'no'],
    ['Governance agent', settings.governance_agent ? 'yes' : 'no'],
    ['Second factor for', roleWords([...new Set([...operator.config.console.secondFactor, ...settings.second_factor])])],
    ['Billing to', settings.billing.join(', ')],
    ['New creatives need approval', settings.creative_review === 'manual' ? 'always: a person decides' : 'by rules'],
  ])}</section></div>
${await adServerPanel(call)}
${retentionPanel(call)}
<h2>What needs approval</h2>
${may(call, setApprovalPolicy) ? expiryForm(call, policy.expires_hours) : html`<p class="soft">Requests expire ${policy.expires_hours} hours after they arrive if no one decides.</p>`}
<div class="columns">${Object.entries(policy.tasks).map(([task, rule]) => policyPanel(call, task, rule, { currency: policy.currency, mayChange: may(call, setApprovalPolicy) }))}</div>`
  return page('Settings', body)
}

function roleWords(roles: readonly string[]): string {
  return roles.length === 0 ? 'no role; people may set one up' : roles.map(words).join(', ')
}

function expiryForm(call: TenantCall, hours: number): Html {
  const path = `${call.base}/settings/expiry`
  const stored = { hours: String(hours) }
  const value = filledForm(sentTo(call, path), stored).get('hours') ?? ''
  return html`<form class="filters" method="post" action="${path}">${csrfField(call)}${shownField(stored)}${field('hours', 'Requests expire after this many hours if no one decides', { value, required: true })}<button aria-label="Save when requests expire">Save</button></form>`
}

async function saveExpiry(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { hours } = changedOf({ hours: inputOf(call.form, 'hours', setApprovalPolicy.fields.expires_hours) })
  await doAct(call, setApprovalPolicy, { expires_hours: hours })
  return redirect(`${call.base}/settings`, 'changed')
}

type Rule = ShownPolicy['tasks'][string]

/** What the form of a rule shows; a task without budgets and products has neither. */
function inputsOf({ when, above, above_in: others = {}, products = [] }: Rule): Inputs & { readonly when: ApprovalWhen } {
  if (above === undefined) return { when }
  const limits = Object.entries(others).map(([code, limit]) => `${code}=${limit}`)
  return { when, above: above === null ? '' : String(above), above_in: limits.join(', '), products: products.join(', ') }
}

function policyPanel(
  call: TenantCall,
  task: string,
  rule: Rule,
  { currency, mayChange }: { currency: string; mayChange: boolean },
): Html {
  const { when, above } = rule
  const path = `${call.base}/settings/approvals`
  const stored = inputsOf(rule)
  const filled = filledForm(sentTo(call, call.form.get('task') === task ? path : ''), stored)
  const value = (name: string) => filled.get(name) ?? ''
  const title = TITLES[task] ?? words(task)
  if (!mayChange)
    return html`<section class="panel"><h2>${title}</h2>${badge(when)} ${typeof above === 'number' && `above ${above} ${currency}`}</section>`
  const whens = WHENS.filter(([each]) => whensOf(task).includes(each))
  const money = html`${field(`above-${task}`, 'From a budget above', { name: 'above', value: value('above'), hint: `In ${currency}, the currency of the publisher; empty: no such limit.` })}
${field(`above-in-${task}`, 'The same in other currencies', {
  name: 'above_in',
  value: value('above_in'),
  hint: 'Such as SEK=115000, NOK=110000. With a limit, orders in any other currency wait, whatever their size.',
})}
${field(`products-${task}`, 'Products', { name: 'products', value: value('products'), hint: 'Ids, comma-separated: orders of these need approval.' })}`
  return html`<section class="panel"><h2>${title}</h2><form method="post" action="${path}">${csrfField(call)}${shownField(stored)}<input type="hidden" name="task" value="${task}">
${choice(`when-${task}`, `${title} need approval`, whens, value('when'), 'when')}${above !== undefined && money}${RULES_OF[task] !== undefined && html`<p class="hint">${RULES_OF[task]}</p>`}<button aria-label="${`Save the rule for ${title.toLowerCase()}`}">Save</button>${task === 'create_media_buy' && html` <button formaction="${path}/try">Try it on the last 30 days</button>`}</form></section>`
}

/** What is stored of the rule that a form is of; of a task without one, nothing. */
async function readRule(call: TenantCall): Promise<Inputs> {
  const { tasks } = await doAct(call, showApprovalPolicy, {})
  const task = call.form.get('task') ?? ''
  const rule = Object.hasOwn(tasks, task) ? tasks[task] : undefined
  return rule ? inputsOf(rule) : {}
}

async function savePolicy(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { task, ...members } = policyOf(call.form)
  await doAct(call, setApprovalPolicy, { task, ...changedOf(members) })
  return redirect(`${call.base}/settings`, 'changed')
}

/** What the rule would have done with the orders of the last 30 days; nothing is saved. */
async function tryPolicy(call: TenantCall): Promise<Answer> {
  const { base } = call
  const { examined, held, is_complete: isComplete } = await doAct(call, tryApprovalPolicy, policyOf(call.form))
  const rows = held.map(({ media_buy_id: id, buyer, budget, currency, reason }) => [
    html`<a href="${base}/orders/${encodeURIComponent(id)}">${id}</a>`,
    buyer,
    amount(budget, currency),
    reason,
  ])
  const columns = ['Order', 'Buyer', { title: 'Budget', numeric: true }, 'Why']
  const body = html`${heading('The rule on the last 30 days', html`<a class="button" href="${base}/settings">Back to the settings</a>`, 'Nothing was saved.')}
<p class="notice ${held.length > 0 ? 'warn' : 'good'}">Of ${count(examined)} ${isComplete ? 'orders' : 'newest orders'}, ${count(held.length)} would have needed approval.</p>
${rows.length > 0 && table('Orders that would have needed approval', columns, rows.slice(0, SHOWN_ORDERS))}`
  return page('The rule on the last 30 days', body)
}

/** The members of the form. An empty limit or list is none. */
function policyOf(form: URLSearchParams) {
  const above = form.get('above')?.trim()
  const listIn = (name: string) =>
    form
      .get(name)
      ?.split(',')
      .flatMap((each) => each.trim() || [])
  return {
    task: form.get('task') ?? undefined,
    when: form.get('when') ?? undefined,
    above: above === undefined ? undefined : setApprovalPolicy.fields.above.parse?.(above || 'none'),
    above_in: listIn('above_in'),
    products: listIn('products'),
  }
}
