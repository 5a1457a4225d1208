import { type Html, html, type Part } from '../html.ts'
import type { Call } from '../route.ts'
import { csrfField } from './parts.ts'

/** A form that the script of passkeys fills in; without scripts it says that it needs them. `inputs` are shown above its button. */
export function passkeyForm(
  call: Pick<Call, 'csrf'>,
  {
    use,
    action,
    options,
    fields,
    label,
    inputs,
  }: {
    readonly use: 'make' | 'show'
    readonly action: string
    readonly options: object
    readonly fields: Readonly<Record<string, string>>
    readonly label: string
    readonly inputs?: Part
  },
): Html {
  const hidden = Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form method="post" action="${action}" data-passkey="${use}" data-options="${JSON.stringify(options)}">${csrfField(call)}${hidden}<input type="hidden" name="passkey" value="">
<div data-with-passkeys hidden>${inputs}<button class="primary wide">${label}</button><p class="hint" role="status" data-passkey-status></p></div>
<p class="notice warn" data-without-passkeys>Passkeys need a browser that has them, with scripts.</p></form>`
}
