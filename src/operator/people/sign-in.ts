import { AdcpError } from '../../protocol/errors.ts'
import type { GuessGuard } from '../../security/auth/guess-guard.ts'
import { hashPassword, MAX_PASSWORD, passwordMatches } from '../../security/auth/password.ts'
import { findPersonToSignIn } from '../../store/people/people.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type BegunSignIn, beginSignIn } from './half-sign-in.ts'
import type { Browser } from './sessions.ts'

/** Wrong passwords that cost no waiting, from one address and for one name at it. */
const PEOPLE = { realm: 'console ', terms: { failuresPerAddress: 20, failuresPerCredential: 5 } }

/**
 * Checks user name and password; a session begins, or the sign-in waits for a second factor where the person has one. Throws AUTH_INVALID for a pair that does not
 * fit, RATE_LIMITED after too many of them: see `createGuessGuard`.
 */
export async function signIn(
  context: OperatorContext,
  given: { readonly username: string; readonly password: string; readonly browser: Browser },
  guard: GuessGuard,
): Promise<BegunSignIn> {
  const found = await findByPassword(context, given, guard)
  if (!found) throw new AdcpError('AUTH_INVALID', 'user name or password is wrong', { field: 'password' })
  return beginSignIn(context, found, given.browser, 'password')
}

/** The person whose user name and password these are. Throws RATE_LIMITED after too many wrong ones. */
export function findByPassword(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  given: { readonly username: string; readonly password: string; readonly browser: Browser },
  guard: GuessGuard,
): Promise<Awaited<ReturnType<typeof findPersonToSignIn>>> {
  const username = given.username.trim().toLowerCase().slice(0, 128)
  const attempt = { ...PEOPLE, address: given.browser.address, name: username }
  const check = async () => {
    const found = await findPersonToSignIn(store.read, username)
    // A name that does not exist costs the same time as one that does: otherwise the time says which names there are.
    const isRight = await guard.hash(attempt, () =>
      found
        ? passwordMatches(given.password, found.passwordHash)
        : hashPassword(given.password.slice(0, MAX_PASSWORD)).then(() => false),
    )
    return isRight ? found : undefined
  }
  return guard.judge(attempt, clock(), check, (found) => (found ? 'right' : 'wrong'))
}
