import type { Resolution } from '../../domain/governance/escalation.ts'
import type { Act } from '../../operator/act.ts'
import type { Decided } from '../../operator/approvals/approval-shapes.ts'
import { approve, ask, reject } from '../../operator/approvals/decide-approval.ts'
import { decideSeveral } from '../../operator/approvals/decide-several.ts'
import type { FieldSet } from '../../operator/fields.ts'
import { decideEscalation } from '../../operator/governance/decide-escalation.ts'
import { approveRights, rejectRights } from '../../operator/rights/decide-rights.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { creativeSubjects, decideTogether } from '../answer-several.ts'
import { decideUnlessDecided } from '../decide-once.ts'
import { actRoute, doAct } from '../do-act.ts'
import { linesOf, written } from '../form-text.ts'
import { type Answer, type ConsoleRoute, redirect, type TenantCall } from '../route.ts'

/** The decisions of the inbox. */
export const inboxDecisionRoutes: readonly ConsoleRoute[] = [
  actRoute('POST', '/inbox/chosen', decideSeveral, (call) => decideTogether(call, 'Inbox', '/inbox')),
  actRoute('POST', '/inbox/{id}/approve', approve, answerApprove),
  actRoute('POST', '/inbox/{id}/reject', reject, answerReject),
  actRoute('POST', '/inbox/{id}/ask', ask, answerAsk),
  actRoute('POST', '/inbox/rights/{id}/approve', approveRights, answerRights('approve')),
  actRoute('POST', '/inbox/rights/{id}/reject', rejectRights, answerRights('reject')),
  actRoute('POST', '/inbox/rights/{id}/ask', rejectRights, answerRights('ask')),
  actRoute('POST', '/inbox/governance/{id}/approve', decideEscalation, answerEscalation('approved')),
  actRoute('POST', '/inbox/governance/{id}/reject', decideEscalation, answerEscalation('rejected')),
]

async function answerApprove(call: TenantCall): Promise<Answer> {
  const conditions = linesOf(written(call.form, 'conditions') ?? '')
  return requireCarriedOut(call, await decideEntry(call, approve, { conditions }))
}

async function answerReject(call: TenantCall): Promise<Answer> {
  await decideEntry(call, reject, { reason: reasonOf(call.form) })
  return redirect(`${call.base}/inbox`, 'rejected')
}

async function answerAsk(call: TenantCall): Promise<Answer> {
  await decideEntry(call, ask, { question: reasonOf(call.form) })
  return redirect(`${call.base}/inbox`, 'asked')
}

/** Decides on the entry of the page; a person who comes second is shown that somebody else decided. */
function decideEntry(call: TenantCall, act: Act<FieldSet, Decided>, words: Readonly<Record<string, unknown>>): Promise<Decided> {
  const id = call.params.id ?? ''
  return decide(call, id, () => doAct(call, act, { approval: id, undecided: true, ...words }))
}

/** An approved order that cannot be booked fails; the person is shown why here, the buyer at its task. */
function requireCarriedOut({ base }: TenantCall, { status, message }: Decided): Answer {
  if (status !== 'failed') return redirect(`${base}/inbox`, 'approved')
  throw new AdcpError('INVALID_REQUEST', `It was approved, but could not be carried out: ${message ?? 'no reason is given'}`)
}

function answerRights(decision: 'approve' | 'reject' | 'ask') {
  return async (call: TenantCall): Promise<Answer> => {
    const { params, form, base } = call
    const right = params.id ?? ''
    const reason = reasonOf(form)
    await decide(call, right, async () => {
      if (decision === 'approve')
        return doAct(call, approveRights, { right, conditions: linesOf(written(form, 'conditions') ?? '') })
      return doAct(call, rejectRights, {
        right,
        ...(decision === 'ask' ? { suggestions: reason === '' ? [] : [reason] } : { reason }),
      })
    })
    return redirect(`${base}/inbox`, decision === 'approve' ? 'approved' : 'rejected')
  }
}

function answerEscalation(resolution: Resolution) {
  return async (call: TenantCall): Promise<Answer> => {
    const { params, form, base, person } = call
    const check = params.id ?? ''
    const decision = {
      check,
      by: person.username,
      reason: reasonOf(form),
      resolution,
      conditions: linesOf(written(form, 'conditions') ?? ''),
    }
    await decide(call, check, () => doAct(call, decideEscalation, decision))
    return redirect(`${base}/inbox`, resolution)
  }
}

/** A creative of the queue is decided here or on its own page, which the audit log names by the id of the creative. */
function decide<T>(call: TenantCall, id: string, run: () => Promise<T>): Promise<T> {
  return decideUnlessDecided(call, id.startsWith('creative:') ? creativeSubjects(id) : [id], run)
}

/** What a person wrote; an empty text is none. */
function reasonOf(form: URLSearchParams): string {
  return written(form, 'reason') ?? ''
}
