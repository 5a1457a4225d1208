import type { Account } from '../account/account.ts'
import type { Principal } from '../identity/principal.ts'

/** Who calls, and for which account. */
export interface Sandboxable {
  readonly principal: Pick<Principal, 'sandbox'>
  readonly account?: Pick<Account, 'sandbox'> | undefined
}

/** Whether a call is of a sandbox buyer or about a sandbox account: nothing real may come of it. */
export function inSandbox({ principal, account }: Sandboxable): boolean {
  return principal.sandbox || account?.sandbox === true
}

/** A backend of the publisher's own for live calls, and the simulated one for sandbox calls: no sandbox call reaches a real system. */
export interface ByCaller<B> {
  readonly live: B
  readonly sandbox: B
}

/** The backend that a call gets. */
export function forCaller<B>({ live, sandbox }: ByCaller<B>, caller: Sandboxable): B {
  return inSandbox(caller) ? sandbox : live
}
