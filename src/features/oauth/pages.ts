import { SCOPES } from './scopes.ts'

/** Text inside HTML, attribute values in double quotes included. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem;color:#1a1a1a}' +
  'h1{font-size:1.3rem}label{display:block;margin:1rem 0 .2rem}input{width:100%;padding:.5rem;font:inherit;box-sizing:border-box}input[type=radio]{width:auto}fieldset{margin:1rem 0}' +
  'button{font:inherit;padding:.5rem 1.2rem;margin:1.2rem .6rem 0 0}.error{color:#a00}code{word-break:break-all}'

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
}

export interface LoginRequest {
  readonly uid: string
  readonly client: string
  /** Name of an identity provider where people can log in instead. */
  readonly provider: string | undefined
  readonly failure: string | undefined
}

/** Asks for name and password. `failure` says why the last attempt was refused. */
export function loginPage({ uid, client, provider, failure }: LoginRequest): string {
  return page(
    'Log in',
    `<p><strong>${escapeHtml(client)}</strong> wants to act for you here.</p>
${failure === undefined ? '' : `<p class="error" role="alert">${escapeHtml(failure)}</p>`}
<form method="post" action="/oauth/interaction/${escapeHtml(uid)}/login">
<label for="username">User name</label><input id="username" name="username" autocomplete="username" required autofocus>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Log in</button></form>
${provider === undefined ? '' : `<p><a href="/oauth/interaction/${escapeHtml(uid)}/external">Log in with ${escapeHtml(provider)}</a></p>`}
<form method="post" action="/oauth/interaction/${escapeHtml(uid)}/abort"><button type="submit">Cancel</button></form>`,
  )
}

export interface ConsentRequest {
  readonly uid: string
  readonly client: string
  /** Address of the document that says what the client is, where it has one. */
  readonly published: string | undefined
  readonly username: string
  /** Where the browser goes afterwards. */
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** Whom the client may act as; a choice where there are several. */
  readonly agents: readonly ActingAgent[]
  /** Id of the one that is chosen at first. */
  readonly chosen: string | undefined
}

/** An agent that a person may let a client act as. */
export interface ActingAgent {
  readonly principalId: string
  readonly name: string
}

/** One line for each agent, where there is a choice. */
function choiceOf({ agents, chosen = agents[0]?.principalId }: Pick<ConsentRequest, 'agents' | 'chosen'>): string {
  if (agents.length < 2) return ''
  const lines = agents.map(({ principalId, name }) => {
    const checked = principalId === chosen ? ' checked' : ''
    return `<label><input type="radio" name="principal" value="${escapeHtml(principalId)}"${checked}> ${escapeHtml(name)} <small>(${escapeHtml(principalId)})</small></label>`
  })
  return `<fieldset><legend>It acts as</legend>${lines.join('')}</fieldset>`
}

/** Shows who asks for what, and where the answer goes. */
export function consentPage({
  uid,
  client,
  published,
  username,
  redirectUri,
  resource,
  scopes,
  ...choice
}: ConsentRequest): string {
  const items = scopes
    .map(
      (scope) =>
        `<li>${escapeHtml(Object.hasOwn(SCOPES, scope) ? (SCOPES[scope] ?? scope) : scope)} <small>(${escapeHtml(scope)})</small></li>`,
    )
    .join('')
  return page(
    `Let ${client} act for you?`,
    `<p>You are <strong>${escapeHtml(username)}</strong>. <strong>${escapeHtml(client)}</strong> asks to use <code>${escapeHtml(resource)}</code> for you:</p>
${published === undefined ? '' : `<p>It is described at <code>${escapeHtml(published)}</code>.</p>`}
<ul>${items}</ul>
<p>Your browser then goes to <code>${escapeHtml(redirectUri)}</code>. Anyone can choose a name: go on only if you started this yourself.</p>
<form method="post" action="/oauth/interaction/${escapeHtml(uid)}/confirm">${choiceOf(choice)}<button type="submit">Allow</button></form>
<form method="post" action="/oauth/interaction/${escapeHtml(uid)}/abort"><button type="submit">Refuse</button></form>
<form method="post" action="/oauth/interaction/${escapeHtml(uid)}/switch"><button type="submit">Log in as somebody else</button></form>`,
  )
}

/** The error page for a person whose client cannot receive the error. */
export function errorPage(error: string, description: string | undefined): string {
  return page('This did not work', `<p>${escapeHtml(description ?? error)}</p><p><small>${escapeHtml(error)}</small></p>`)
}
