import { approve, ask, type Decided, reject } from '../../operator/approvals/decide-approval.ts'
import { showApproval } from '../../operator/approvals/list-approvals.ts'
import { decideEscalation } from '../../operator/governance/decide-escalation.ts'
import { approveRights, rejectRights } from '../../operator/rights/decide-rights.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { count } from '../format.ts'
import { html } from '../html.ts'
import { listWaiting } from '../list-waiting.ts'
import { decisionCard, decisionCards } from '../parts/decision-card.ts'
import { csrfField, empty, heading, statusBadge } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, redirect, SELLERS, type TenantCall, tenantRoute } from '../route.ts'

/** More than a person decides on in one sitting. */
const SHOWN_CARDS = 50

/** What waits for a decision, and the decisions. */
export const inboxRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/inbox', READERS, inboxPage),
  tenantRoute('POST', '/inbox/approve-creatives', SELLERS, approveCreatives),
  tenantRoute('GET', '/inbox/{id}', READERS, entryPage),
  tenantRoute('POST', '/inbox/{id}/approve', SELLERS, answerApprove),
  tenantRoute('POST', '/inbox/{id}/reject', SELLERS, answerReject),
  tenantRoute('POST', '/inbox/{id}/ask', SELLERS, answerAsk),
  tenantRoute('POST', '/inbox/rights/{id}/approve', SELLERS, answerRights(true)),
  tenantRoute('POST', '/inbox/rights/{id}/reject', SELLERS, answerRights(false)),
  tenantRoute('POST', '/inbox/governance/{id}/approve', SELLERS, answerEscalation('approved')),
  tenantRoute('POST', '/inbox/governance/{id}/reject', SELLERS, answerEscalation('rejected')),
]

async function inboxPage(call: TenantCall): Promise<Answer> {
  const waiting = await listWaiting(call)
  const now = call.operator.clock()
  const creatives = waiting.filter((each) => each.kind === 'entry' && each.entry.kind === 'creative')
  const lead =
    waiting.length === 0
      ? undefined
      : html`What expires first comes first. Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> approve, <kbd>r</kbd> reject.`
  const bulk =
    creatives.length > 1 && SELLERS.includes(call.role)
      ? html`<form method="post" action="${call.base}/inbox/approve-creatives">${csrfField(call)}${creatives.map((each) => each.kind === 'entry' && html`<input type="hidden" name="id" value="${each.entry.id}">`)}<button>Approve all ${creatives.length} creatives</button></form>`
      : undefined
  const cards = await decisionCards(call, waiting.slice(0, SHOWN_CARDS), now)
  const others = waiting.length - cards.length
  const none = empty(
    'Nothing needs a decision',
    'Orders, changes, creatives and accounts that need your approval appear here by themselves.',
  )
  return page(
    'Inbox',
    html`${heading('Inbox', bulk, lead)}${cards.length > 0 ? cards : none}${others > 0 && html`<p class="soft">${count(others)} more follow when these are decided.</p>`}`,
  )
}

/** A task that was submitted, decided or not, with everything it is about. */
async function entryPage(call: TenantCall): Promise<Answer> {
  const { approval, ...entry } = await showApproval(call.operator, call.tenantId, call.params.id ?? '')
  const isOpen = ['waiting', 'asked'].includes(entry.state)
  const decided = html`<section class="panel"><p>${statusBadge(entry.state)} ${approval.note}</p>${approval.conditions.length > 0 && html`<ul>${approval.conditions.map((text) => html`<li>${text}</li>`)}</ul>`}</section>`
  const document: unknown = JSON.parse(approval.document)
  const body = html`${heading(`Decision ${entry.id}`, undefined, entry.task)}
${isOpen ? await decisionCard(call, { kind: 'entry', since: entry.since, entry }, call.operator.clock()) : decided}
<details class="panel"><summary>The request as the buyer sent it</summary><pre>${JSON.stringify(document, undefined, 2)}</pre></details>`
  return page(`Decision ${entry.id}`, body)
}

async function answerApprove(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params, form } = call
  const conditions = (form.get('conditions') ?? '').split(/\r?\n/).flatMap((line) => line.trim() || [])
  return requireCarriedOut(call, await approve(operator, { tenantId, id: params.id ?? '', conditions }))
}

/** An approved order that cannot be booked fails; the person is told here, the buyer at its task. */
function requireCarriedOut({ base }: TenantCall, { status, message }: Decided): Answer {
  if (status !== 'failed') return redirect(`${base}/inbox`, 'approved')
  throw new AdcpError('INVALID_REQUEST', `It was approved, but could not be carried out: ${message ?? 'no reason is given'}`)
}

async function answerReject({ operator, tenantId, params, form, base }: TenantCall): Promise<Answer> {
  await reject(operator, { tenantId, id: params.id ?? '', reason: requireReason(form) })
  return redirect(`${base}/inbox`, 'rejected')
}

async function answerAsk({ operator, tenantId, params, form, base }: TenantCall): Promise<Answer> {
  await ask(operator, { tenantId, id: params.id ?? '', question: requireReason(form) })
  return redirect(`${base}/inbox`, 'asked')
}

/** All creatives that the page showed. One that was decided meanwhile stays as it was decided. */
async function approveCreatives({ operator, tenantId, form, base }: TenantCall): Promise<Answer> {
  for (const id of form.getAll('id').filter((each) => each.startsWith('creative:'))) {
    await approve(operator, { tenantId, id, conditions: [] }).catch((error: unknown) => {
      if (!(error instanceof AdcpError)) throw error
    })
  }
  return redirect(`${base}/inbox`, 'approved')
}

function answerRights(isApproval: boolean) {
  return async ({ operator, tenantId, params, form, base }: TenantCall): Promise<Answer> => {
    const id = params.id ?? ''
    if (isApproval) await approveRights(operator, { tenantId, id, conditions: [] })
    else await rejectRights(operator, { tenantId, id, reason: requireReason(form), suggestions: [] })
    return redirect(`${base}/inbox`, isApproval ? 'approved' : 'rejected')
  }
}

function answerEscalation(resolution: 'approved' | 'rejected') {
  return async ({ operator, tenantId, params, form, base, person }: TenantCall): Promise<Answer> => {
    const reason = resolution === 'approved' ? form.get('reason') || 'approved in the console' : requireReason(form)
    const decision = { tenantId, checkId: params.id ?? '', by: person.username, reason, resolution, conditions: [] }
    await decideEscalation(operator, decision)
    return redirect(`${base}/inbox`, resolution)
  }
}

/** The buyer gets it, so that it can do better. Throws INVALID_REQUEST without one. */
function requireReason(form: URLSearchParams): string {
  const reason = (form.get('reason') ?? '').trim()
  if (reason !== '' && reason.length <= 500) return reason
  throw new AdcpError('INVALID_REQUEST', 'write a reason of 1 to 500 characters: the buyer gets it', { field: 'reason' })
}
