import type { BegunSignIn } from '../../operator/people/half-sign-in.ts'
import { beginSignInElsewhere, finishSignInElsewhere, type SignInProvider } from '../../operator/people/sign-in-elsewhere.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type Answer, type Call, CONSOLE, type ConsoleRoute, redirect, SHOW_FACTOR, SIGN_IN_CALLBACK } from '../route.ts'

/** Below the console: where signing in at the OpenID provider begins. */
export const SIGN_IN_ELSEWHERE = '/sign-in/provider'

interface Parts {
  readonly refusedSignIn: (code: string) => void
  readonly signInProvider?: SignInProvider | undefined
}

/** Signing in at the deployment's OpenID provider; no routes without one. `refuse` makes the page that says why it did not work. */
export function signInElsewhereRoutes(
  { signInProvider: provider, refusedSignIn }: Parts,
  refuse: (call: Call, error: AdcpError) => Answer,
): readonly ConsoleRoute[] {
  if (!provider) return []
  const orRefuse = (act: (call: Call) => Promise<Answer>) => async (call: Call) => {
    try {
      return await act(call)
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      refusedSignIn(error.code)
      return refuse(call, error)
    }
  }
  const begin = orRefuse(async ({ operator, query, csrf }) => {
    const next = safeNext(query.get('next'))
    return redirect(await beginSignInElsewhere(operator, provider, { secret: csrf, next }))
  })
  const finish = orRefuse(async ({ operator, query, csrf, browser }) => {
    const { next, ...begun } = await finishSignInElsewhere(operator, provider, { answer: query, secret: csrf, browser })
    return afterSignIn(begun, next)
  })
  return [
    { method: 'GET', path: SIGN_IN_ELSEWHERE, access: 'anyone', answer: begin },
    { method: 'GET', path: SIGN_IN_CALLBACK, access: 'anyone', answer: finish },
  ]
}

/** Where a sign-in goes on: to the second factor, or to where the person wanted to be. */
export function afterSignIn({ token, isHalf }: BegunSignIn, next: string | null): Answer {
  const wanted = safeNext(next)
  const location = isHalf ? `${CONSOLE}${SHOW_FACTOR}?next=${encodeURIComponent(wanted)}` : wanted
  return { ...redirect(location), session: token }
}

/** What a browser makes of `next`, when that is a path of the console; else its start. It resolves `..`, `%2e` and `\\` before it follows (WHATWG URL §4.4). */
export function safeNext(next: string | null): string {
  const origin = 'http://console.invalid'
  if (next === null || !next.startsWith(CONSOLE) || !URL.canParse(next, origin)) return CONSOLE
  const { origin: there, pathname, search } = new URL(next, origin)
  return there === origin && `${pathname}/`.startsWith(`${CONSOLE}/`) ? pathname + search : CONSOLE
}
