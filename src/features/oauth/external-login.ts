import { randomBytes } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import type { ExternalLogin, IdentityProvider } from '../../security/auth/identity-provider.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { Store } from '../../store/database.ts'
import { deleteOauthRecord, findOauthRecord, saveOauthRecord } from '../../store/identity/oauth-records.ts'
import { PATHS } from './paths.ts'

/** Logging in elsewhere, from the page of an interaction and back to it. */
export interface ExternalLogins {
  /** Of the provider, for people. */
  readonly name: string
  /** Where the browser of this interaction goes. */
  begin(uid: string): Promise<string>
  /** Takes the provider's answer. Gives the address of the interaction that it belongs to, with a ticket. Throws AUTH_INVALID. */
  finish(answer: URLSearchParams): Promise<string>
  /** The user behind a ticket of this interaction, once. */
  redeem(uid: string, ticket: string): Promise<string | undefined>
}

export interface ExternalLoginParts {
  readonly store: Store
  readonly box: SecretBox
  readonly origin: string
  readonly provider: IdentityProvider
  readonly clock: () => Date
}

const LOGIN = 'ExternalLogin'
const TICKET = 'ExternalTicket'
const LOGIN_MS = 600_000
const TICKET_MS = 60_000

/**
 * The cookie of an interaction comes with its own path only, so the provider's answer is checked first and the browser then sent to the
 * interaction with a ticket that counts once: another browser gets nothing out of it.
 */
export function externalLogins({ store, box, origin, provider, clock }: ExternalLoginParts): ExternalLogins {
  const redirectUri = `${origin}${PATHS.callback}`
  const keep = async (kind: string, id: string, value: object, ms: number) => {
    const now = clock()
    const record = { kind, id, document: box.seal(JSON.stringify(value), kind), expiresAt: new Date(now.getTime() + ms) }
    await store.transaction((tx) => saveOauthRecord(tx, record, now))
  }
  const take = async (kind: string, id: string): Promise<Readonly<Record<string, string>> | undefined> => {
    const record = await findOauthRecord(store.read, kind, id, clock())
    const isFirst = record !== undefined && (await store.transaction((tx) => deleteOauthRecord(tx, kind, id)))
    return isFirst ? JSON.parse(box.open(record.document, kind)) : undefined
  }
  return {
    name: provider.name,
    async begin(uid) {
      const { url, login } = await provider.begin(redirectUri)
      await keep(LOGIN, login.state, { ...login, uid }, LOGIN_MS)
      return url
    },
    async finish(answer) {
      const state = answer.get('state') ?? ''
      const { uid, nonce = '', verifier = '' } = (await take(LOGIN, state)) ?? {}
      if (uid === undefined)
        throw new AdcpError('AUTH_INVALID', 'this login is over; start again', { http: { status: 400, headers: {} } })
      const login: ExternalLogin = { state, nonce, verifier }
      const username = await provider.finish(answer, login, redirectUri)
      const ticket = randomBytes(32).toString('base64url')
      await keep(TICKET, ticket, { uid, username }, TICKET_MS)
      return `${PATHS.interaction}${uid}/external?ticket=${ticket}`
    },
    async redeem(uid, ticket) {
      const taken = await take(TICKET, ticket)
      return taken?.uid === uid ? taken.username : undefined
    },
  }
}
