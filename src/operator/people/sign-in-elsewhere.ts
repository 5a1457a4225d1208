import { AdcpError } from '../../protocol/errors.ts'
import type { IdentityProvider } from '../../security/auth/identity-provider.ts'
import { findPersonToSignIn } from '../../store/people/people.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type BegunSignIn, beginSignIn } from './half-sign-in.ts'
import type { Browser } from './sessions.ts'

/** How long a person may take at the provider. */
const LOGIN_MS = 600_000
/** What the sealed login is bound to. */
const PLACE = 'console sign-in'

/** The OpenID provider that people sign in at. */
export interface SignInProvider {
  /** Shown to people. */
  readonly name: string
  /** The console's address that the provider sends people back to. */
  readonly redirectUri: string
  /** Loads what speaks with it. */
  provider(): Promise<IdentityProvider>
}

/** What the browser brings: `secret` is of its cookie, so that an answer that another browser began signs nobody in (RFC 9700 §4.7). */
interface BegunBy {
  readonly secret: string
}

/** What is remembered, sealed in the `state` parameter, until the person is back. */
interface PendingLogin {
  readonly nonce: string
  readonly verifier: string
  readonly next: string
  readonly secret: string
  readonly until: number
}

/**
 * Where the browser goes to sign in, and comes back from with a code: authorization code with PKCE, state and nonce (OpenID Connect Core §3.1). Throws
 * SERVICE_UNAVAILABLE when the provider cannot be reached.
 */
export async function beginSignInElsewhere(
  context: OperatorContext,
  { provider, redirectUri }: SignInProvider,
  { secret, next }: BegunBy & { readonly next: string },
): Promise<string> {
  const { url, login } = await (await provider()).begin(redirectUri)
  const pending: PendingLogin = {
    nonce: login.nonce,
    verifier: login.verifier,
    next,
    secret,
    until: context.clock().getTime() + LOGIN_MS,
  }
  const box = await context.services.oauthBox()
  const address = new URL(url)
  address.searchParams.set('state', box.seal(JSON.stringify(pending), PLACE))
  return address.href
}

/**
 * Takes the provider's answer and signs in the person whose user name it vouches for; a second factor is asked for where the settings say so. Throws AUTH_INVALID for an answer that does not count, that
 * another browser began or that is late, and for a user without an account here; SERVICE_UNAVAILABLE when the provider cannot be reached.
 */
export async function finishSignInElsewhere(
  context: OperatorContext,
  { provider, redirectUri }: SignInProvider,
  { answer, secret, browser }: BegunBy & { readonly answer: URLSearchParams; readonly browser: Browser },
): Promise<BegunSignIn & { readonly next: string }> {
  const state = answer.get('state') ?? ''
  const pending = await openLogin(context, state)
  if (!pending || pending.secret !== secret || pending.until < context.clock().getTime())
    throw new AdcpError('AUTH_INVALID', 'this sign-in was begun in another browser or took longer than ten minutes; start again')
  const { nonce, verifier, next } = pending
  const user = await (await provider()).finish(answer, { state, nonce, verifier }, redirectUri)
  const person = await findPersonToSignIn(context.store.read, user.trim().toLowerCase().slice(0, 128))
  if (!person)
    throw new AdcpError('AUTH_INVALID', 'you are known there, but have no account here; ask an administrator for an invitation')
  return { ...(await beginSignIn(context, person, browser, 'provider')), next }
}

/** undefined for what this deployment did not seal. */
async function openLogin(context: OperatorContext, state: string): Promise<PendingLogin | undefined> {
  const box = await context.services.oauthBox()
  try {
    return JSON.parse(box.open(state, PLACE))
  } catch {
    return undefined
  }
}
