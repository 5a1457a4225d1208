import { reject } from '../../operator/approvals/decide-approval.ts'
import type { OpenDecision } from '../../operator/approvals/open-decisions.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, limits } from './parts.ts'

/** The form that boxes of creative cards belong to, wherever they are on the page. */
const FORM = 'chosen'

/** One decision for several creatives: for the chosen ones, or for all that the page shows. Nothing with fewer than two. */
export function creativeBulk(call: TenantCall, shown: readonly OpenDecision[]): Html | false {
  const ids = shown.flatMap((each) => (each.kind === 'approval' && each.approval.kind === 'creative' ? [each.approval.id] : []))
  if (ids.length < 2) return false
  const action = `${call.base}/inbox/creatives`
  return html`<div class="bulk"><form method="post" action="${action}">${csrfField(call)}${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}<button>Approve all ${ids.length} creatives</button></form>
<form id="${FORM}" method="post" action="${action}">${csrfField(call)}<button name="decision" value="approve">Approve the chosen</button>
<details><summary>Reject the chosen</summary><div class="field"><label for="chosen-reason">Reason. The buyers get it.</label><textarea id="chosen-reason" name="reason"${limits(reject.fields.reason, false)}></textarea></div><button class="danger" name="decision" value="reject">Reject</button></details></form></div>`
}

/** The box of one creative. */
export function chooseBox(id: string, name: string): Html {
  return html`<label class="option choose"><input type="checkbox" name="id" value="${id}" form="${FORM}" aria-label="${`Choose ${name}`}"> Choose</label>`
}
