import type { Of } from '../../operator/shape.ts'
import { TAKE_BACK, type takenBackMember } from '../../operator/taken-back.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, field } from './parts.ts'

/** Asks why a payment was wrong, and takes it back; `path`: where the form is sent to. */
export function takeBackForm(call: TenantCall, payment: string, path: string): Html {
  return html`<form class="inline" method="post" action="${path}">${csrfField(call)}${field(`reason-${payment}`, 'Why it was wrong', { name: 'reason', of: TAKE_BACK.reason, required: true })}<button class="danger">Take back</button></form>`
}

/** Who took a payment back and why; `form` while it counts. */
export function takenBackCell(back: Of<(typeof takenBackMember)['taken_back']>, form: Html | false): Html | false {
  return back ? html`Taken back by ${back.by}: ${back.reason}` : form
}
