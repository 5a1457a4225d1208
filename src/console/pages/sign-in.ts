import { acceptInvitation, JOIN_FIELDS } from '../../operator/people/accept-invitation.ts'
import { showInvitation } from '../../operator/people/invite-person.ts'
import { signOut } from '../../operator/people/sessions.ts'
import { signIn } from '../../operator/people/sign-in.ts'
import type { SignInProvider } from '../../operator/people/sign-in-elsewhere.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { csrfField, field } from '../parts/parts.ts'
import { type Answer, type Call, CONSOLE, type ConsoleRoute, doneMessage, page, redirect } from '../route.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { afterSignIn, SIGN_IN_ELSEWHERE, signInElsewhereRoutes } from './sign-in-elsewhere.ts'

interface SignInParts {
  readonly guard: GuessGuard
  readonly refusedSignIn: (code: string, username?: string) => void
  readonly signInProvider?: SignInProvider | undefined
}

/** How a person comes in and goes: sign-in, invitation, sign-out. */
export function signInRoutes(parts: SignInParts): readonly ConsoleRoute[] {
  return [
    { method: 'GET', path: '/sign-in', access: 'anyone', answer: async (call) => signInPage(call, parts) },
    { method: 'POST', path: '/sign-in', access: 'anyone', answer: (call) => answerSignIn(call, parts) },
    ...signInElsewhereRoutes(parts, (call, error) => signInPage(call, parts, error)),
    ...secondFactorRoutes(parts),
    { method: 'GET', path: '/join/{token}', access: 'anyone', answer: (call) => joinPage(call) },
    { method: 'POST', path: '/join/{token}', access: 'anyone', answer: (call) => answerJoin(call, parts) },
    {
      method: 'POST',
      path: '/sign-out',
      access: 'signed-in',
      withoutFactor: true,
      async answer({ operator, person, session }) {
        await signOut(operator, person, session.sessionId)
        return { ...redirect(`${CONSOLE}/sign-in`, 'signedout'), session: null }
      },
    },
  ]
}

function signInPage(call: Call, { signInProvider }: SignInParts, refusal?: AdcpError): Answer {
  const next = call.form.get('next') ?? call.query.get('next') ?? ''
  const done = doneMessage(call.query)
  const body = html`<div class="card">
<h1>Sign in</h1>
${done !== undefined && html`<p class="notice good" role="status">${done}</p>`}
${refusal && alert(refusal)}
<form method="post" action="${CONSOLE}/sign-in">
${csrfField(call)}<input type="hidden" name="next" value="${next}">
${field('username', 'User name', { value: call.form.get('username') ?? '', autocomplete: 'username', required: true })}
${field('password', 'Password', { type: 'password', autocomplete: 'current-password', required: true })}
<button class="primary wide">Sign in</button>
</form>
${signInProvider && html`<p><a class="button wide" href="${CONSOLE}${SIGN_IN_ELSEWHERE}?next=${encodeURIComponent(next)}">Sign in with ${signInProvider.name}</a></p>`}
<p class="hint">No account? An administrator can invite you, under People; or on the server: <code>sales-agent people invite</code>.</p>
</div>`
  return page('Sign in', body, { refusal })
}

async function answerSignIn(call: Call, parts: SignInParts): Promise<Answer> {
  const { guard, refusedSignIn } = parts
  const { operator, form, browser } = call
  try {
    const given = { username: form.get('username') ?? '', password: form.get('password') ?? '', browser }
    return afterSignIn(await signIn(operator, given, guard), form.get('next'))
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    refusedSignIn(error.code)
    return signInPage(call, parts, error)
  }
}

async function joinPage(call: Call, refusal?: AdcpError): Promise<Answer> {
  const invitation = await showInvitation(call.operator, call.params.token ?? '')
  if (!invitation) {
    const text = 'It was used before, taken back, or has expired. Ask an administrator for a new one.'
    return page('This invitation is over', html`<div class="card"><h1>This invitation is over</h1><p>${text}</p></div>`, {
      status: 404,
    })
  }
  const scope = invitation.tenantId === undefined ? 'every publisher here' : invitation.tenantId
  const body = html`<div class="card">
<h1>Welcome</h1>
<p>Choose how you sign in. Your role for ${scope}: <strong>${words(invitation.role)}</strong>.</p>
${refusal && alert(refusal)}
<form method="post" action="${call.path}">
${csrfField(call)}
${field('name', 'Your name', { value: call.form.get('name') ?? '', autocomplete: 'name', of: JOIN_FIELDS.name, required: true, hint: 'The history of orders shows it beside what you decide.' })}
${field('username', 'User name', { value: call.form.get('username') ?? '', autocomplete: 'username', of: JOIN_FIELDS.username, required: true })}
${field('password', 'Password', { type: 'password', autocomplete: 'new-password', of: JOIN_FIELDS.password, required: true, hint: `${JOIN_FIELDS.password.schema.minLength} characters or more; a sentence is fine.` })}
<button class="primary wide">Create the account</button>
</form>
</div>`
  return page('Welcome', body, { refusal })
}

async function answerJoin(call: Call, { guard }: SignInParts): Promise<Answer> {
  const { operator, form, browser, params } = call
  const username = form.get('username') ?? ''
  const password = form.get('password') ?? ''
  try {
    await acceptInvitation(operator, { token: params.token ?? '', username, name: form.get('name') ?? '', password })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return joinPage(call, error)
  }
  return afterSignIn(await signIn(operator, { username, password, browser }, guard), null)
}

function alert(error: AdcpError): Html {
  return html`<p class="notice bad" role="alert">${error.message}</p>`
}
