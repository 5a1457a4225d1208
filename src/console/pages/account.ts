import { NEW_PASSWORD } from '../../operator/people/accept-invitation.ts'
import { hasFactor } from '../../operator/people/half-sign-in.ts'
import { changePassword } from '../../operator/people/manage-people.ts'
import { ownFactors } from '../../operator/people/own-factors.ts'
import { beginSession, listSessions, signOut, signOutElsewhere } from '../../operator/people/sessions.ts'
import { addPublisher } from '../../operator/tenants/add-tenant.ts'
import { readUserAgent } from '../../platform/decode/user-agent.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { doDeploymentAct, mayOnDeployment } from '../do-act.ts'
import { written } from '../form-text.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, csrfField, field, heading, table } from '../parts/parts.ts'
import { type Answer, CONSOLE, type ConsoleRoute, OWN_FACTORS, type PersonCall, page, redirect } from '../route.ts'

/** Where a person begins, and what is their own: password and sessions. */
export const accountRoutes = ({ guard }: { readonly guard: GuessGuard }): readonly ConsoleRoute[] => [
  { method: 'GET', path: '/', access: 'signed-in', answer: async (call) => start(call) },
  { method: 'GET', path: '/publishers', access: 'signed-in', answer: async (call) => publishersPage(call) },
  { method: 'POST', path: '/publishers', access: 'signed-in', answer: savePublisher },
  { method: 'GET', path: '/account', access: 'signed-in', answer: accountPage },
  { method: 'POST', path: '/account/password', access: 'signed-in', answer: (call) => answerPassword(call, guard) },
  { method: 'POST', path: '/account/sessions/end-others', access: 'signed-in', answer: endOtherSessions },
  { method: 'POST', path: '/account/sessions/{session}/end', access: 'signed-in', answer: endSession },
]

/** To the only publisher, or to the choice. */
function start(call: PersonCall): Answer {
  const [only, ...others] = call.tenants
  return only && others.length === 0 ? redirect(`${CONSOLE}/t/${only.tenant}/home`) : publishersPage(call)
}

function publishersPage(call: PersonCall, refusal?: AdcpError): Answer {
  const { tenants } = call
  const mayAdd = mayOnDeployment(call, addPublisher)
  const rows = tenants.map(({ tenant, name, domain }) => [
    html`<a href="${CONSOLE}/t/${tenant}/home">${name}</a>`,
    domain,
    tenant,
  ])
  const none = mayAdd
    ? html`<p>Begin with the publisher whose inventory is sold here.</p>`
    : html`<p>You have no role for a publisher yet. An administrator can invite you.</p>`
  const body = html`${heading('Publishers')}${rows.length === 0 ? none : table('Publishers', ['Name', 'Domain', 'Id'], rows)}${mayAdd && publisherForm(call, refusal)}`
  return page('Publishers', body, { refusal })
}

function publisherForm(call: PersonCall, refusal: AdcpError | undefined): Html {
  const { form } = call
  return html`<section class="panel narrow"><h2>Add a publisher</h2>${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
<form method="post" action="${CONSOLE}/publishers">${csrfField(call)}
${field('name', 'Name', { value: form.get('name') ?? '', of: addPublisher.fields.name, required: true, hint: 'As buyers see it.' })}
${field('domain', 'Domain', { value: form.get('domain') ?? '', of: addPublisher.fields.domain, required: true, hint: 'For example news.example: where its adagents.json is.' })}
${field('id', 'Id', { value: form.get('id') ?? '', of: addPublisher.fields.publisher, required: true, hint: 'It is part of addresses and cannot be changed.' })}
<button class="primary">Add the publisher</button></form></section>`
}

async function savePublisher(call: PersonCall): Promise<Answer> {
  const members = { publisher: written(call.form, 'id'), name: written(call.form, 'name'), domain: written(call.form, 'domain') }
  try {
    const { tenant } = await doDeploymentAct(call, addPublisher, members)
    return redirect(`${CONSOLE}/t/${tenant}/home`, 'added')
  } catch (error) {
    if (!(error instanceof AdcpError) || error.code === 'PERMISSION_DENIED') throw error
    return publishersPage(call, error)
  }
}

/** How a session began, as people say it. */
const WAYS = { password: 'password', provider: 'identity provider' } as const
const WITH = { totp: 'code', passkey: 'passkey', recovery: 'recovery code' } as const

async function accountPage(call: PersonCall): Promise<Answer> {
  const { person, operator, session: own } = call
  const sessions = await listSessions(operator, person)
  const rows = sessions.map(({ sessionId, browser, address, createdAt, usedAt, way, factor }) => [
    browserText(browser),
    address,
    factor === undefined ? WAYS[way] : `${WAYS[way]} and ${WITH[factor]}`,
    moment(createdAt),
    moment(usedAt),
    sessionId === own.sessionId
      ? badge('this one', 'good')
      : act(call, `${CONSOLE}/account/sessions/${sessionId}/end`, 'End', { name: `End the session of ${address}` }),
  ])
  const factors = await ownFactors(operator, call)
  const isSafe = hasFactor(factors)
  const body = html`${heading('Your account', undefined, `${person.name} (${person.username})`)}
<div class="columns"><section class="panel"><h2>Password</h2>
<form method="post" action="${CONSOLE}/account/password">${csrfField(call)}
${field('present', 'Present password', { type: 'password', autocomplete: 'current-password', required: true })}
${field('next', 'New password', { type: 'password', autocomplete: 'new-password', of: NEW_PASSWORD, required: true, hint: `${NEW_PASSWORD.schema.minLength} characters or more; your other sessions end.` })}
<button class="primary">Change the password</button></form></section>
<section class="panel"><h2>Second factor</h2>
<p>${isSafe ? badge('on', 'good') : badge('off', 'warn')} ${isSafe ? factorText(factors) : 'Who has your password can sign in.'}</p>
<p><a class="button" href="${CONSOLE}${OWN_FACTORS}">${isSafe ? 'Change the second factor' : 'Set up a second factor'}</a></p></section></div>
<section class="panel"><h2>Where you are signed in</h2>${table('Sessions', ['Browser', 'Address', 'Signed in with', 'Since', 'Last used', ''], rows)}
${sessions.length > 1 && act(call, `${CONSOLE}/account/sessions/end-others`, 'End all other sessions')}</section>`
  return page('Your account', body)
}

/** `Chrome on Linux`; of what no parser knows, the beginning of its text. */
function browserText(userAgent: string): string {
  const { browser, system } = readUserAgent(userAgent)
  if (browser === '') return userAgent.slice(0, 80) || 'unknown'
  return system === '' ? browser : `${browser} on ${system}`
}

function factorText({ totp, passkeys, recoveryCodes }: Awaited<ReturnType<typeof ownFactors>>): string {
  const counted = (count: number, one: string) => (count === 1 ? `one ${one}` : `${count} ${one}s`)
  const parts = [
    totp ? 'an authenticator app' : [],
    passkeys.length > 0 ? counted(passkeys.length, 'passkey') : [],
    recoveryCodes > 0 ? counted(recoveryCodes, 'recovery code') : 'no recovery code left',
  ].flat()
  return `${parts.join(', ')}.`
}

async function answerPassword({ operator, person, session, form, browser }: PersonCall, guard: GuessGuard): Promise<Answer> {
  const given = { present: form.get('present') ?? '', next: form.get('next') ?? '', browser }
  await changePassword(operator, person, given, guard)
  const { token } = await beginSession(operator, person, browser, session)
  return { ...redirect(`${CONSOLE}/account`, 'changed'), session: token }
}

async function endSession({ operator, person, params }: PersonCall): Promise<Answer> {
  await signOut(operator, person, params.session ?? '')
  return redirect(`${CONSOLE}/account`, 'removed')
}

async function endOtherSessions(call: PersonCall): Promise<Answer> {
  await signOutElsewhere(call.operator, call)
  return redirect(`${CONSOLE}/account`, 'removed')
}
