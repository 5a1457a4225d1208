import { compactVerify, importJWK } from 'jose'
import { foreignJson } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { PublishedJwk } from './jwk.ts'
import { type FetchDocument, UntrustedAddress } from './remote-keys.ts'
import type { RevocationSource } from './revocation.ts'

/** A published list, checked. Times are Unix seconds. */
export interface RevocationList {
  readonly issuer: string
  readonly updatedSeconds: number
  readonly nextUpdateSeconds: number
  readonly revokedKids: ReadonlySet<string>
  readonly revokedJtis: ReadonlySet<string>
}

/** Anything wrong with a list; it counts as no list. */
export class RevocationListInvalid extends Error {
  override readonly name = 'RevocationListInvalid'
}

const JWS_TYPE = 'adcp-gov-revocation+jws'
const MAX_LIST_BYTES = 256 * 1024

/** AdCP: poll no faster than once a minute, no slower than every half hour. */
const POLL_FLOOR_SECONDS = 60
const POLL_CEILING_SECONDS = 30 * 60

/** Whether an agent publishes a list by now is asked this often. */
const ABSENT_SECONDS = 15 * 60

/** AdCP: a list is stale four intervals after it should have been replaced. */
const GRACE_INTERVALS = 4

/**
 * Reads a signed revocation list (JWS in compact or JSON form, `typ` fixed, EdDSA or ES256) under the issuer's governance keys.
 * Throws {@link RevocationListInvalid}.
 */
export async function readRevocationList(
  jws: string,
  issuer: string,
  issuerKeys: readonly PublishedJwk[],
): Promise<RevocationList> {
  try {
    const { payload } = await compactVerify(
      compactForm(jws),
      async ({ kid }) => {
        const jwk = issuerKeys.find((key) => key.kid === kid && key.adcp_use === 'governance-signing')
        if (!jwk) throw new RevocationListInvalid('list is not signed with a governance key of its issuer')
        const { key_ops, ...rest } = jwk
        return importJWK({ ...rest, ...(key_ops && { key_ops: [...key_ops] }) })
      },
      { algorithms: ['EdDSA', 'ES256'] },
    ).then((verified) => {
      if (verified.protectedHeader.typ !== JWS_TYPE) throw new RevocationListInvalid(`typ is not ${JWS_TYPE}`)
      return verified
    })
    return readPayload(membersOf(foreignJson(Buffer.from(payload).toString('utf8'))), issuer)
  } catch (error) {
    if (error instanceof RevocationListInvalid) throw error
    throw new RevocationListInvalid('list does not verify', { cause: error })
  }
}

/** RFC 7515 §7.2: the JSON forms carry the same three parts. */
function compactForm(jws: string): string {
  if (!jws.startsWith('{')) return jws
  const { payload, signatures, ...flattened } = membersOf(foreignJson(jws))
  const only = Array.isArray(signatures) && signatures.length === 1 ? signatures[0] : flattened
  const { protected: header, signature } = membersOf(only)
  return `${header}.${payload}.${signature}`
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

/** A page, or some other document, in the place of a list. */
function isSigned(body: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(body) || (body.startsWith('{') && body.includes('"payload"'))
}

function readPayload(payload: Record<string, unknown>, issuer: string): RevocationList {
  const updatedSeconds = Date.parse(String(payload.updated)) / 1000
  const nextUpdateSeconds = Date.parse(String(payload.next_update)) / 1000
  const { revoked_kids: kids, revoked_jtis: jtis = [] } = payload
  // One list covers everything at its origin; its issuer may be named by either.
  if (payload.issuer !== issuer && payload.issuer !== new URL(issuer).origin) throw new RevocationListInvalid('issuer is another')
  if (!(nextUpdateSeconds > updatedSeconds)) throw new RevocationListInvalid('next_update is not after updated')
  if (!Array.isArray(kids)) throw new RevocationListInvalid('revoked_kids is not a list')
  if (!Array.isArray(jtis)) throw new RevocationListInvalid('revoked_jtis is not a list')
  return { issuer, updatedSeconds, nextUpdateSeconds, revokedKids: textsOf(kids), revokedJtis: textsOf(jtis) }
}

function textsOf(values: readonly unknown[]): ReadonlySet<string> {
  return new Set(values.filter((value) => typeof value === 'string'))
}

/**
 * The list that an agent's origin publishes, polled when a signature asks for it. While the list cannot be renewed the last one
 * counts until its grace is over; then, and before any list was read, the status is `stale`. Of an issuer that need not publish one
 * (`isOptional`) the status is `good` as long as its origin says that there is none; an origin that does not answer says nothing.
 */
export function publishedRevocations(
  listUrl: string,
  issuer: string,
  issuerKeys: () => Promise<readonly PublishedJwk[]>,
  fetchDocument: FetchDocument,
  { isOptional = false } = {},
): RevocationSource {
  let isAbsent = false
  let list: RevocationList | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  async function refresh(nowSeconds: number): Promise<void> {
    triedAt = nowSeconds
    try {
      const document = await fetchDocument(listUrl, { maxBytes: MAX_LIST_BYTES })
      const body = Buffer.from(document.body).toString('ascii').trim()
      const isList = document.status === 200 && isSigned(body)
      if (isOptional && !list && !isList && isAnswer(document.status)) isAbsent = true
      if (!isList) return
      isAbsent = false
      const next = await readRevocationList(body, issuer, await issuerKeys())
      // An older list than the one we hold would un-revoke keys.
      if (!list || next.updatedSeconds >= list.updatedSeconds) list = next
    } catch (error) {
      // Where a redirect leads is no list of this origin.
      if (isOptional && !list && error instanceof UntrustedAddress && error.message === 'redirect_refused') isAbsent = true
      // The list in hand counts until its grace is over; `status` says when that is.
    }
  }

  return {
    async status(key, nowSeconds, jti) {
      const isDue =
        nowSeconds >=
        (list ? Math.min(list.nextUpdateSeconds, triedAt + POLL_CEILING_SECONDS) : isAbsent ? triedAt + ABSENT_SECONDS : 0)
      if (isDue && !fetching && nowSeconds - triedAt >= POLL_FLOOR_SECONDS) {
        fetching = refresh(nowSeconds).finally(() => {
          fetching = undefined
        })
      }
      // A list that did not exist so far is not waited for.
      if (isAbsent) return 'good'
      await fetching
      if (isAbsent) return 'good'
      if (list?.revokedKids.has(key.jwk.kid) || (jti !== undefined && list?.revokedJtis.has(jti))) return 'revoked'
      return !list || nowSeconds > staleAt(list) ? 'stale' : 'good'
    },
  }
}

/** A server that is in trouble (5xx, 408, 429) says nothing of what it has. */
function isAnswer(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429
}

function staleAt({ updatedSeconds, nextUpdateSeconds }: RevocationList): number {
  return nextUpdateSeconds + GRACE_INTERVALS * (nextUpdateSeconds - updatedSeconds)
}
