import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'

/** The server that passkeys are for: its origin and, of that, the domain (WebAuthn §5.1.2, "RP ID"). */
export interface RelyingParty {
  readonly origin: string
  readonly id: string
}

/** What is stored of a passkey. */
export interface StoredPasskey {
  readonly credentialId: string
  /** COSE, base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: readonly string[]
}

/** COSE algorithms (RFC 9053): ES256, EdDSA, RS256: every authenticator has one of them. */
const ALGORITHMS = [-7, -8, -257]
/** Time in which a person answers the browser. */
const TIMEOUT_MS = 300_000
/** Longest identifier of a credential (WebAuthn §5.8.3), base64url. */
const LONGEST_ID = 1364
/** Transports of a credential that are remembered, and longest name of one. */
const MOST_TRANSPORTS = 8
const LONGEST_TRANSPORT = 20

/** The relying party at an address; undefined where browsers have no passkeys: without https, and at a bare IP address. `localhost` is as good as https (Secure Contexts §3.1). */
export function relyingPartyAt(address: string): RelyingParty | undefined {
  const { protocol, origin, hostname: id } = new URL(address)
  const isDomain = !/^[\d.]+$/.test(id) && !id.startsWith('[')
  const isLocal = id === 'localhost' || id.endsWith('.localhost')
  return isDomain && (protocol === 'https:' || isLocal) ? { origin, id } : undefined
}

/** What a browser makes a passkey with (WebAuthn §5.4). `challenge` is base64url. */
export function creationOptions(
  { id }: RelyingParty,
  person: { readonly personId: string; readonly username: string; readonly name: string },
  known: readonly Pick<StoredPasskey, 'credentialId'>[],
  challenge: string,
): PublicKeyCredentialCreationOptionsJSON {
  return {
    rp: { id, name: id },
    user: { id: Buffer.from(person.personId).toString('base64url'), name: person.username, displayName: person.name },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    timeout: TIMEOUT_MS,
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId, type: 'public-key' })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    attestation: 'none',
  }
}

/** What a browser signs in with by one of the passkeys (WebAuthn §5.5). */
export function requestOptions(
  { id }: RelyingParty,
  passkeys: readonly Pick<StoredPasskey, 'credentialId' | 'transports'>[],
  challenge: string,
): PublicKeyCredentialRequestOptionsJSON {
  return {
    rpId: id,
    challenge,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: passkeys.map(({ credentialId, transports }) => ({
      id: credentialId,
      type: 'public-key',
      transports: [...transports],
    })),
  }
}

/** The new passkey that a browser made for the challenge; undefined: it is none, or is not verified by the person. */
export async function readNewPasskey(
  { origin, id }: RelyingParty,
  text: string,
  challenge: string,
): Promise<StoredPasskey | undefined> {
  const { decodeAttestationObject, isoBase64URL, verifyRegistrationResponse } = await import(
    '../../platform/libraries/web-authn.ts'
  )
  const given = answerIn(text, ['clientDataJSON', 'attestationObject'])
  if (!given) return undefined
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(given.response.attestationObject))
    const [format, statement] = [attestation.get('fmt'), attestation.get('attStmt')]
    // None was asked for. A certificate in it would be verified with lists of revoked ones from addresses that it names itself.
    if (!(format === 'none' || (format === 'packed' && statement.get('x5c') === undefined))) return undefined
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: given,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return undefined
    const { credential } = registrationInfo
    if (credential.id.length > LONGEST_ID) return undefined
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: given.transports,
    }
  } catch {
    // The library throws for whatever is wrong, with words for programmers.
    return undefined
  }
}

/** Which of the passkeys signed the challenge, and its counter after that; undefined: none, or one that was copied (WebAuthn §6.1.1, "Signature Counter"). */
export async function readPasskeyUse<P extends StoredPasskey>(
  { origin, id }: RelyingParty,
  text: string,
  passkeys: readonly P[],
  challenge: string,
): Promise<{ readonly passkey: P; readonly counter: number } | undefined> {
  const { verifyAuthenticationResponse } = await import('../../platform/libraries/web-authn.ts')
  const given = answerIn(text, ['clientDataJSON', 'authenticatorData', 'signature'])
  const passkey = passkeys.find(({ credentialId }) => credentialId === given?.id)
  if (!given || !passkey) return undefined
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: given,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    })
    return verified ? { passkey, counter: authenticationInfo.newCounter } : undefined
  } catch {
    return undefined
  }
}

/** What a browser answers with (WebAuthn §5.1, `toJSON`): of its response these members, which are texts, and what it says of transports. */
interface BrowserAnswer<K extends string> {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: object
  readonly response: Readonly<Record<K, string>>
  readonly transports: readonly string[]
}

/** undefined for a text that is none. */
function answerIn<const K extends string>(text: string, members: readonly K[]): BrowserAnswer<K> | undefined {
  const given = foreignJsonIn(text)
  if (!isObject(given) || !isObject(given.response)) return undefined
  const { id, rawId, type, response } = given
  const texts = members.flatMap((name) => (typeof response[name] === 'string' ? [[name, response[name]] as const] : []))
  if (typeof id !== 'string' || id !== rawId || type !== 'public-key' || texts.length < members.length) return undefined
  const { transports } = response
  return {
    ...{ id, rawId, type, clientExtensionResults: {} },
    response: Object.fromEntries(texts) as Record<K, string>,
    transports: Array.isArray(transports)
      ? transports.filter((each) => typeof each === 'string' && each.length <= LONGEST_TRANSPORT).slice(0, MOST_TRANSPORTS)
      : [],
  }
}
