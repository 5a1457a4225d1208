import { operatorOn } from '../../src/compose/operator.ts'
import { inviteEverywhere, invitePerson } from '../../src/operator/people/invite-person.ts'
import { filledIn, formFields } from './console-form.ts'
import { performAs } from './operator.ts'
import type { TestAgent } from './start-agent.ts'

export const PASSWORD = 'correct horse battery staple'

/** An answer of the console. */
export interface ConsoleReply {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly text: string
}

/** A browser without scripts: it holds the cookie and sends back what the forms carry. */
export class ConsoleClient {
  readonly origin: string
  cookie: string | undefined
  csrf = ''

  constructor(origin: string) {
    this.origin = origin
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ConsoleReply> {
    return this.#send(path, { headers })
  }

  /** Sends a form as our own pages do; `headers` may take the place of what a browser says. */
  post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<ConsoleReply> {
    const body = new URLSearchParams({ csrf: this.csrf, ...fields })
    return this.#send(path, { method: 'POST', body, headers: { Origin: this.origin, ...headers } })
  }

  /** Sends a form in which names may repeat. */
  postAll(path: string, fields: readonly (readonly [string, string])[]): Promise<ConsoleReply> {
    const body = new URLSearchParams({ csrf: this.csrf })
    for (const [name, value] of fields) body.append(name, value)
    return this.#send(path, { method: 'POST', body, headers: { Origin: this.origin } })
  }

  /** Opens a page and sends the form whose action ends with `action`, with some other values. */
  async fillIn(path: string, action: string, values: Record<string, string>): Promise<ConsoleReply> {
    const { text } = await this.get(path)
    const [, target = ''] = new RegExp(`action="([^"]*${action})"`).exec(text) ?? []
    return this.postAll(target, filledIn(formFields(text, action), values))
  }

  /** Sends a form with a file; without text, the form alone. */
  upload(
    path: string,
    file: { readonly name: string; readonly text: string | Uint8Array<ArrayBuffer>; readonly type?: string },
    fields: Record<string, string> = {},
  ): Promise<ConsoleReply> {
    const body = new FormData()
    for (const [name, value] of Object.entries({ csrf: this.csrf, ...fields })) body.append(name, value)
    if (file.text !== '')
      body.append('file', new Blob([file.text], file.type === undefined ? {} : { type: file.type }), file.name)
    return this.#send(path, { method: 'POST', body, headers: { Origin: this.origin } })
  }

  async #send(path: string, request: RequestInit & { headers: Record<string, string> }): Promise<ConsoleReply> {
    const headers = { ...(this.cookie !== undefined && { Cookie: this.cookie }), ...request.headers }
    const response = await fetch(this.origin + path, { ...request, headers, redirect: 'manual' })
    const text = await response.text()
    const [cookie] = response.headers.getSetCookie()
    if (cookie !== undefined) this.cookie = cookie.split(';', 1)[0]
    this.csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrf
    return { status: response.status, location: response.headers.get('location'), headers: response.headers, text }
  }
}

/** Path of a new invitation. */
export async function invitationOf(agent: TestAgent, role: string, tenantId?: string): Promise<string> {
  const operator = { ...operatorOn(agent.server.store, agent.config), clock: agent.server.clock }
  const act = tenantId === undefined ? inviteEverywhere : invitePerson
  return new URL((await performAs(operator, tenantId ?? agent.tenant, act, { role })).link).pathname
}

/** A person with a role, signed in. */
export async function signedIn(agent: TestAgent, username: string, role: string, tenantId?: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(new URL(agent.url).origin)
  const path = await invitationOf(agent, role, tenantId)
  await client.get(path)
  const joined = await client.post(path, { username, name: `${username} Example`, password: PASSWORD })
  if (joined.status !== 303) throw new Error(joined.text)
  await client.get('/console/account')
  return client
}
