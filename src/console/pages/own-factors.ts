import { hasFactor, relyingPartyOf } from '../../operator/people/half-sign-in.ts'
import {
  addPasskey,
  addTotp,
  isRecent,
  ownFactors,
  PASSKEY_NAME,
  RECENT_TEXT,
  removeFactor,
  renewRecoveryCodes,
  setUpPasskey,
  setUpTotp,
} from '../../operator/people/own-factors.ts'
import { requiresFactor } from '../../operator/people/required-factor.ts'
import { signOut } from '../../operator/people/sessions.ts'
import { listTenants } from '../../operator/tenants/list-tenants.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, csrfField, field, heading, table } from '../parts/parts.ts'
import { passkeyForm } from '../parts/passkey-form.ts'
import { type Answer, CONSOLE, type ConsoleRoute, OWN_FACTORS, type PersonCall, page, redirect } from '../route.ts'

const HERE = CONSOLE + OWN_FACTORS
const APP = '/authenticator'
const PASSKEYS = '/passkeys'

/** A person's own second factors. Those that set one up are for somebody who needs one and has none, too. */
export const ownFactorRoutes: readonly ConsoleRoute[] = [
  { method: 'GET', path: OWN_FACTORS, access: 'signed-in', withoutFactor: true, answer: factorsPage },
  { method: 'POST', path: `${OWN_FACTORS}/again`, access: 'signed-in', withoutFactor: true, answer: signInAgain },
  { method: 'GET', path: OWN_FACTORS + APP, access: 'signed-in', withoutFactor: true, answer: recently((call) => appPage(call)) },
  { method: 'POST', path: OWN_FACTORS + APP, access: 'signed-in', withoutFactor: true, answer: recently(saveApp) },
  {
    method: 'GET',
    path: OWN_FACTORS + PASSKEYS,
    access: 'signed-in',
    withoutFactor: true,
    answer: recently((call) => passkeyPage(call)),
  },
  { method: 'POST', path: OWN_FACTORS + PASSKEYS, access: 'signed-in', withoutFactor: true, answer: recently(savePasskey) },
  { method: 'POST', path: `${OWN_FACTORS + APP}/remove`, access: 'signed-in', answer: recently(removeApp) },
  { method: 'POST', path: `${OWN_FACTORS + PASSKEYS}/{passkey}/remove`, access: 'signed-in', answer: recently(removePasskey) },
  { method: 'POST', path: `${OWN_FACTORS}/recovery-codes`, access: 'signed-in', answer: recently(renewCodes) },
]

/** Answers who has signed in lately; others are shown how to do it again. */
function recently(answer: (call: PersonCall) => Promise<Answer>): (call: PersonCall) => Promise<Answer> {
  return async (call) => (isRecent(call.operator, call) ? answer(call) : redirect(HERE))
}

async function factorsPage(call: PersonCall): Promise<Answer> {
  const { operator, person, session } = call
  const factors = await ownFactors(operator, call)
  const { totp, passkeys, recoveryCodes } = factors
  const mayChange = isRecent(operator, call)
  const isNeeded = requiresFactor(operator.config, await listTenants(operator), person, session.way)
  const isSafe = hasFactor(factors)
  const rows = passkeys.map(({ credentialId, name, createdAt, usedAt }) => [
    html`${name}<small>since ${moment(createdAt)}, ${usedText(usedAt)}</small>`,
    mayChange &&
      act(call, `${HERE}${PASSKEYS}/${credentialId}/remove`, 'Remove', { kind: 'danger', name: `Remove the passkey ${name}` }),
  ])
  const canHave = relyingPartyOf(operator) !== undefined
  const body = html`${heading('Second factor', undefined, 'What signs you in together with your password.')}
${isNeeded && !isSafe && html`<p class="notice warn" role="status">Your role needs a second factor. Set one up to go on: an authenticator app or a passkey.</p>`}
${!mayChange && html`<div class="notice info"><p>To change second factors, sign in again: you did so more than ${RECENT_TEXT} ago.</p>${act(call, `${HERE}/again`, 'Sign in again', { kind: 'primary' })}</div>`}
<div class="columns"><section class="panel"><h2>Passkeys</h2>
<p class="soft">A key in your telephone, computer or security key. It works at this address alone, so that no copied page can take it.</p>
${rows.length > 0 && table('Passkeys', ['Passkey', ''], rows)}
${!canHave && html`<p class="hint">Passkeys need the console at a domain with https; this server is not set up with one (<code>publicUrl</code>).</p>`}
${mayChange && canHave && html`<p><a class="button" href="${HERE}${PASSKEYS}">Add a passkey</a></p>`}</section>
<section class="panel"><h2>Authenticator app</h2>
<p class="soft">An app that shows a code of six digits, a new one every 30 seconds.</p>
${totp && html`<p>Set up ${moment(totp.createdAt)}, ${usedText(totp.usedAt)}.</p>`}
${mayChange && html`<p class="actions"><a class="button" href="${HERE}${APP}">${totp ? 'Set up another app in its place' : 'Set up an app'}</a> ${totp && act(call, `${HERE}${APP}/remove`, 'Remove the app', { kind: 'danger' })}</p>`}</section></div>
${
  isSafe &&
  html`<section class="panel narrow"><h2>Recovery codes</h2>
<p>${recoveryCodes === 0 ? 'None is left.' : `${recoveryCodes} of ten are left.`} Each signs you in once, when you have lost the others.</p>
${mayChange && act(call, `${HERE}/recovery-codes`, 'Make ten new ones')}<p class="hint">The codes from before end then.</p></section>`
}`
  return page('Second factor', body)
}

function usedText(usedAt: string | undefined): string {
  return usedAt === undefined ? 'not used yet' : `last used ${moment(usedAt)}`
}

async function signInAgain({ operator, person, session }: PersonCall): Promise<Answer> {
  await signOut(operator, person, session.sessionId)
  return { ...redirect(`${CONSOLE}/sign-in?next=${encodeURIComponent(HERE)}`, 'again'), session: null }
}

async function appPage(call: PersonCall, refusal?: AdcpError): Promise<Answer> {
  const { ticket, secret, address, qr } = await setUpTotp(call.operator, call, call.form.get('ticket') ?? undefined)
  const body = html`${heading('Set up an authenticator app', backLink())}
${alert(refusal)}
<div class="columns"><section class="panel"><h2>1. Add the key to the app</h2>
<p>Scan this code with the app:</p>
<p><img class="qr" src="${qr}" alt="QR code of the address below"></p>
<p>Or enter the key by hand:</p><p><code class="secret">${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
<details><summary>As an address</summary><p><code class="secret">${address}</code></p></details></section>
<section class="panel"><h2>2. Enter a code of the app</h2>
<form method="post" action="${HERE}${APP}">${csrfField(call)}<input type="hidden" name="ticket" value="${ticket}">
${field('code', 'Code that the app shows', { autocomplete: 'one-time-code', required: true, hint: 'Six digits. The app counts once this code is right; your other sessions end.' })}
<button class="primary">Turn it on</button></form></section></div>`
  return page('Set up an authenticator app', body, { refusal })
}

async function saveApp(call: PersonCall): Promise<Answer> {
  const { form, operator } = call
  const given = { ticket: form.get('ticket') ?? '', code: form.get('code') ?? '' }
  return orShow(
    async () => added(await addTotp(operator, call, given)),
    (refusal) => appPage(call, refusal),
  )
}

async function passkeyPage(call: PersonCall, refusal?: AdcpError): Promise<Answer> {
  const setUp = await setUpPasskey(call.operator, call)
  if (!setUp) return redirect(HERE)
  const { ticket, options } = setUp
  const name = call.form.get('name') ?? ''
  const inputs = field('name', 'Name', {
    value: name,
    of: PASSKEY_NAME,
    required: true,
    hint: 'By which you tell it from others, such as: work laptop. Your other sessions end.',
  })
  const body = html`${heading('Add a passkey', backLink())}
${alert(refusal)}
<section class="panel narrow">${passkeyForm(call, { use: 'make', action: `${HERE}${PASSKEYS}`, options, fields: { ticket }, label: 'Add the passkey', inputs })}</section>`
  return page('Add a passkey', body, { refusal, passkeys: true })
}

async function savePasskey(call: PersonCall): Promise<Answer> {
  const { form, operator } = call
  const given = { ticket: form.get('ticket') ?? '', name: form.get('name') ?? '', response: form.get('passkey') ?? '' }
  return orShow(
    async () => added(await addPasskey(operator, call, given)),
    (refusal) => passkeyPage(call, refusal),
  )
}

async function removeApp(call: PersonCall): Promise<Answer> {
  await removeFactor(call.operator, call, { kind: 'totp' })
  return redirect(HERE, 'removed')
}

async function removePasskey(call: PersonCall): Promise<Answer> {
  await removeFactor(call.operator, call, { kind: 'passkey', credentialId: call.params.passkey ?? '' })
  return redirect(HERE, 'removed')
}

async function renewCodes(call: PersonCall): Promise<Answer> {
  return codesPage(await renewRecoveryCodes(call.operator, call))
}

/** With the first factor come recovery codes; no other page shows them. */
function added(codes: readonly string[]): Answer {
  return codes.length > 0 ? codesPage(codes) : redirect(HERE, 'added')
}

function codesPage(codes: readonly string[]): Answer {
  const body = html`${heading('Recovery codes')}
<section class="notice good" role="status"><p>Store these codes where you find them without your telephone. Each signs you in once; they are shown this once.</p></section>
<section class="panel narrow"><ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="actions"><button type="button" data-copy="${codes.join('\n')}" hidden>Copy</button> <button type="button" data-print hidden>Print</button> <a class="button primary" href="${CONSOLE}">I have stored them</a></p></section>`
  return page('Recovery codes', body)
}

function backLink(): Html {
  return html`<a class="button" href="${HERE}">Back</a>`
}

function alert(refusal: AdcpError | undefined): Html | undefined {
  return refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`
}

/** What a form came to, or its page again with what is wrong. */
async function orShow(work: () => Promise<Answer>, again: (refusal: AdcpError) => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return again(error)
  }
}
