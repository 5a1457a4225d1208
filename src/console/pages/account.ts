import { MIN_PERSON_PASSWORD } from '../../operator/people/accept-invitation.ts'
import { changePassword, listSessions } from '../../operator/people/manage-people.ts'
import { beginSession, signOut } from '../../operator/people/sign-in.ts'
import { moment } from '../format.ts'
import { html } from '../html.ts'
import { act, badge, csrfField, field, heading, table } from '../parts/parts.ts'
import { type Answer, CONSOLE, type ConsoleRoute, type PersonCall, page, redirect } from '../route.ts'

/** Where a person begins, and what is their own: password and sessions. */
export const accountRoutes: readonly ConsoleRoute[] = [
  { method: 'GET', path: '/', access: 'signed-in', answer: async (call) => start(call) },
  { method: 'GET', path: '/publishers', access: 'signed-in', answer: async (call) => publishersPage(call) },
  { method: 'GET', path: '/account', access: 'signed-in', answer: accountPage },
  { method: 'POST', path: '/account/password', access: 'signed-in', answer: answerPassword },
  { method: 'POST', path: '/account/sessions/{session}/end', access: 'signed-in', answer: endSession },
]

/** To the only publisher, or to the choice. */
function start(call: PersonCall): Answer {
  const [only, ...others] = call.tenants
  return only && others.length === 0 ? redirect(`${CONSOLE}/t/${only.tenant}/home`) : publishersPage(call)
}

function publishersPage({ tenants }: PersonCall): Answer {
  const rows = tenants.map(({ tenant, name, domain }) => [
    html`<a href="${CONSOLE}/t/${tenant}/home">${name}</a>`,
    domain,
    tenant,
  ])
  const none = html`<p>There is no publisher yet, or you have no role for one. On the server: <code>sales-agent init</code>.</p>`
  return page(
    'Publishers',
    html`${heading('Publishers')}${rows.length === 0 ? none : table('Publishers', ['Name', 'Domain', 'Id'], rows)}`,
  )
}

async function accountPage(call: PersonCall): Promise<Answer> {
  const { person, operator, sessionId } = call
  const rows = (await listSessions(operator, person)).map((session) => [
    session.browser.slice(0, 80) || 'unknown',
    session.address,
    moment(session.createdAt),
    moment(session.usedAt),
    session.sessionId === sessionId
      ? badge('this one', 'good')
      : act(call, `${CONSOLE}/account/sessions/${session.sessionId}/end`, 'End', {
          name: `End the session of ${session.address}`,
        }),
  ])
  const body = html`${heading('Your account', undefined, `${person.name} (${person.username})`)}
<section class="panel narrow"><h2>Password</h2>
<form method="post" action="${CONSOLE}/account/password">${csrfField(call)}
${field('present', 'Present password', { type: 'password', autocomplete: 'current-password', required: true })}
${field('next', 'New password', { type: 'password', autocomplete: 'new-password', required: true, hint: `${MIN_PERSON_PASSWORD} characters or more; your other sessions end.` })}
<button class="primary">Change the password</button></form></section>
<section class="panel"><h2>Where you are signed in</h2>${table('Sessions', ['Browser', 'Address', 'Since', 'Last used', ''], rows)}</section>`
  return page('Your account', body)
}

async function answerPassword({ operator, person, form, browser }: PersonCall): Promise<Answer> {
  await changePassword(operator, person, { present: form.get('present') ?? '', next: form.get('next') ?? '' })
  const { token } = await beginSession(operator, person, browser)
  return { ...redirect(`${CONSOLE}/account`, 'changed'), session: token }
}

async function endSession({ operator, person, params }: PersonCall): Promise<Answer> {
  await signOut(operator, person, params.session ?? '')
  return redirect(`${CONSOLE}/account`, 'removed')
}
