import type { ApprovalWhen } from '../../domain/approval/policy.ts'
import { readLimit } from '../../operator/amount.ts'
import {
  APPROVABLE_TASKS,
  type PolicyChange,
  setApprovalPolicy,
  showApprovalPolicy,
} from '../../operator/approvals/approval-policy.ts'
import { examineAdServers } from '../../operator/examine-ad-servers.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { badge, choice, csrfField, facts, field, heading } from '../parts/parts.ts'
import {
  ADMINISTRATORS,
  type Answer,
  type ConsoleRoute,
  page,
  READERS,
  redirect,
  type TenantCall,
  tenantRoute,
} from '../route.ts'

/** The publisher's own settings. */
export const settingsRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/settings', READERS, settingsPage),
  tenantRoute('POST', '/settings/approvals', ADMINISTRATORS, savePolicy),
]

const WHENS = [
  ['never', 'Never'],
  ['rules', 'As the rules below and the products say'],
  ['always', 'Always'],
] as const satisfies readonly (readonly [ApprovalWhen, string])[]

async function settingsPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, tenant, role } = call
  const policy = await showApprovalPolicy(operator, tenantId)
  const servers = await examineAdServers(operator)
  const own = servers.filter(({ text }) => text.startsWith(`${tenantId}:`))
  const { settings } = tenant
  const body = html`${heading('Settings', undefined, `${tenant.name}, ${tenant.domain}`)}
<section class="panel"><h2>Publisher</h2>${facts([
    ['Id', tenant.tenant],
    ['Domain', tenant.domain],
    ['Answers callers without a key', tenant.public_default ? 'yes' : `at /t/${tenant.tenant}/mcp`],
    ['Signing profile', settings.signing_profile],
    ['Checks operators of accounts', settings.verify_operators ? 'yes' : 'no'],
    ['Governance agent', settings.governance_agent ? 'yes' : 'no'],
    ['Billing to', settings.billing.join(', ')],
    ['Creatives are reviewed', settings.creative_review === 'manual' ? 'by a person' : 'by rules'],
    ['Ad servers', own.map(({ text }) => html`<div>${text.slice(tenantId.length + 2)}</div>`)],
  ])}</section>
<h2>What needs approval</h2>
<p class="soft">Requests expire ${policy.expires_hours} hours after they arrive if nobody decides.</p>
<div class="columns">${Object.entries(policy.tasks).map(([task, rule]) => policyPanel(call, task, rule, role === 'administrator'))}</div>`
  return page('Settings', body)
}

type Rule = Awaited<ReturnType<typeof showApprovalPolicy>>['tasks'][string]

function policyPanel(call: TenantCall, task: string, rule: Rule, mayChange: boolean): Html {
  const { when, above, products } = { above: undefined, products: undefined, ...rule }
  if (!mayChange)
    return html`<section class="panel"><h2>${words(task)}</h2>${badge(when)} ${typeof above === 'number' && `above ${above}`}</section>`
  const money = html`${field(`above-${task}`, 'From a budget above', { name: 'above', value: above === null || above === undefined ? '' : String(above), hint: 'In the currency of the order; empty: no such limit.' })}
${field(`products-${task}`, 'Products', { name: 'products', value: (products ?? []).join(', '), hint: 'Ids, comma-separated: orders of these need approval.' })}`
  return html`<section class="panel"><h2>${words(task)}</h2><form method="post" action="${call.base}/settings/approvals">${csrfField(call)}<input type="hidden" name="task" value="${task}">
${choice(`when-${task}`, 'Needs approval', WHENS, when, 'when')}${above !== undefined && money}<button>Save</button></form></section>`
}

async function savePolicy({ operator, tenantId, form, base }: TenantCall): Promise<Answer> {
  const task = form.get('task') ?? ''
  if (!APPROVABLE_TASKS.includes(task))
    throw new AdcpError('INVALID_REQUEST', `"${task}" needs no approval; valid tasks: ${APPROVABLE_TASKS.join(', ')}`, {
      field: 'task',
    })
  const change: PolicyChange = {
    task,
    when: whenOf(form.get('when')),
    ...(form.has('above') && { aboveMicros: readLimit(form.get('above')?.trim() || 'never', 'above', 'never') }),
    ...(form.has('products') && { products: productsOf(form.get('products')) }),
  }
  await setApprovalPolicy(operator, tenantId, change)
  return redirect(`${base}/settings`, 'changed')
}

function whenOf(text: string | null): ApprovalWhen {
  const found = WHENS.find(([when]) => when === text)
  if (found) return found[0]
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not valid; valid: ${WHENS.map(([when]) => when).join(', ')}`, {
    field: 'when',
  })
}

function productsOf(text: string | null): readonly string[] | null {
  const ids = (text ?? '').split(',').flatMap((id) => id.trim() || [])
  return ids.length === 0 ? null : ids
}
