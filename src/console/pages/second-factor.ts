import { finishSignIn, passkeyQuestion, type ShownFactor } from '../../operator/people/half-sign-in.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { attribute, type Html, html } from '../html.ts'
import { csrfField, field } from '../parts/parts.ts'
import { passkeyForm } from '../parts/passkey-form.ts'
import { type Answer, CONSOLE, type ConsoleRoute, type HalfCall, page, redirect, SHOW_FACTOR } from '../route.ts'
import { safeNext } from './sign-in-elsewhere.ts'

interface Parts {
  readonly guard: GuessGuard
  readonly refusedSignIn: (code: string, username?: string) => void
}

/** The second step of a sign-in. */
export function secondFactorRoutes(parts: Parts): readonly ConsoleRoute[] {
  return [
    { method: 'GET', path: SHOW_FACTOR, access: 'half-signed-in', answer: async (call) => factorPage(call) },
    { method: 'POST', path: SHOW_FACTOR, access: 'half-signed-in', answer: (call) => answerFactor(call, parts) },
  ]
}

function factorPage(call: HalfCall, refusal?: AdcpError): Answer {
  const { open, operator } = call
  const { totp, passkeys, recoveryCodes } = open.factors
  const next = safeNext(call.form.get('next') ?? call.query.get('next'))
  const begin = (kind: ShownFactor['kind']) =>
    html`<form method="post" action="${CONSOLE}${SHOW_FACTOR}">${csrfField(call)}<input type="hidden" name="next" value="${next}"><input type="hidden" name="kind" value="${kind}">`
  const question = passkeyQuestion(operator, open)
  const isLastWay = totp === undefined && question === undefined
  const body = html`<div class="card">
<h1>Second factor</h1>
<p>Your password was accepted, ${open.person.name}. Confirm within five minutes that it is you.</p>
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
${question && passkeyForm(call, { use: 'show', action: `${CONSOLE}${SHOW_FACTOR}`, options: question, fields: { next, kind: 'passkey' }, label: 'Use a passkey' })}
${passkeys.length > 0 && !question && html`<p class="notice warn">Passkeys work only at a domain with https. Use another way here.</p>`}
${totp && html`${begin('totp')}${codeField('code', 'Code of the authenticator app', { hint: 'Six digits; each counts once.', autofocus: !question })}<button class="primary wide">Sign in</button></form>`}
${recoveryCodes > 0 && recoveryForm(begin('recovery'), isLastWay)}
<p class="hint">Lost them all? An administrator can remove your second factors, under People; or on the server: <code>sales-agent people reset-factors</code>. <a href="${CONSOLE}/sign-in">Start again</a></p>
</div>`
  return page('Second factor', body, { refusal, passkeys: question !== undefined })
}

function recoveryForm(begin: Html, isOpen: boolean): Html {
  return html`<details${attribute('open', isOpen)}><summary>Use a recovery code</summary>${begin}${codeField('recovery', 'Recovery code', { hint: 'Each works once.', autofocus: false })}<button class="wide">Sign in</button></form></details>`
}

function codeField(id: string, label: string, { hint, autofocus }: { readonly hint: string; readonly autofocus: boolean }): Html {
  const autocomplete = id === 'code' ? 'one-time-code' : 'off'
  return field(id, label, { name: 'code', autocomplete, required: true, hint, autofocus })
}

async function answerFactor(call: HalfCall, { guard, refusedSignIn }: Parts): Promise<Answer> {
  const { open, operator, form, browser } = call
  try {
    const { token } = await finishSignIn(operator, open, shownIn(form), { browser, guard })
    return { ...redirect(safeNext(form.get('next'))), session: token }
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    refusedSignIn(error.code, open.person.username)
    return factorPage(call, error)
  }
}

function shownIn(form: URLSearchParams): ShownFactor {
  const kind = form.get('kind')
  if (kind === 'passkey') return { kind, text: form.get('passkey') ?? '' }
  return { kind: kind === 'recovery' ? kind : 'totp', text: form.get('code') ?? '' }
}
