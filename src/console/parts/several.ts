import { reject } from '../../operator/approvals/decide-approval.ts'
import type { OpenDecision } from '../../operator/approvals/open-decisions.ts'
import { type Html, html, type Part } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, limits } from './parts.ts'

/** The form that the boxes of rows belong to, wherever they are on the page. */
const FORM = 'chosen'

/** The field of the view of the list, so that a person comes back to it. */
export const VIEW = 'view'

/** One act for the rows whose boxes are chosen; `path` is below the publisher. */
export function severalForm({ base, csrf, query }: TenantCall, path: string, buttons: Part): Html {
  const view = new URLSearchParams(query)
  view.delete('done')
  return html`<form class="bulk" id="${FORM}" method="post" action="${base}${path}">${csrfField({ csrf })}<input type="hidden" name="${VIEW}" value="${view.toString()}">${buttons}</form>`
}

/** The box of one row; `seen`: the revision that the page shows, so that a row that changed since is refused. */
export function chooseBox(id: string, name: string, seen?: string): Html {
  return html`<label class="option choose"><input type="checkbox" name="id" value="${id}" form="${FORM}" aria-label="${`Choose ${name}`}"> <span>Choose</span></label>${seen !== undefined && html`<input type="hidden" form="${FORM}" name="${seenField(id)}" value="${seen}">`}`
}

/** The field that says what was seen of a row. */
export function seenField(id: string): string {
  return `seen:${id}`
}

/** One decision for the chosen entries of the queue. */
export function decideButtons(): Html {
  return html`<button name="decision" value="approve">Approve the chosen</button>
<details><summary>Reject the chosen</summary><div class="field"><label for="chosen-reason">Reason. The buyers get it.</label><textarea id="chosen-reason" name="reason"${limits(reject.fields.reason, false)}></textarea></div><button class="danger" name="decision" value="reject">Reject</button></details>`
}

/** One decision for several cards: for the chosen ones, or for all creatives that the page shows. Nothing where no two can be decided together. */
export function decideTogetherForms(call: TenantCall, shown: readonly OpenDecision[]): Html | false {
  const entries = shown.flatMap((each) => (each.kind === 'approval' ? [each.approval] : []))
  if (entries.length < 2) return false
  const creatives = entries.filter(({ kind }) => kind === 'creative')
  const all = html`<form class="bulk" method="post" action="${call.base}/inbox/chosen">${csrfField(call)}${creatives.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}<button name="decision" value="approve">Approve all ${creatives.length} creatives</button></form>`
  return html`${creatives.length > 1 && all}${severalForm(call, '/inbox/chosen', decideButtons())}`
}
