/** An interface of this server with its implementation. */
export interface Backend {
  readonly name: string
  /** What it does, and what it does not, in a sentence for people. */
  readonly description: string
  /** Whether its results are made up. */
  readonly simulated: boolean
}

export interface Simulated {
  readonly name: string
  readonly description: string
}

/** Those whose results are made up, as the capabilities name them (`ext.simulated_backends`). */
export function simulatedBackends(backends: readonly Backend[]): Simulated[] {
  return backends.filter(({ simulated }) => simulated).map(({ name, description }) => ({ name, description }))
}

/**
 * Members of an answer that say that it is simulated: `sandbox` where the buyer or the account is (AdCP sandbox mode) and where the backend
 * is; then `ext.simulated` says in words what of a production buyer's answer is not real.
 */
export function simulationMembers(
  { simulated, description }: Pick<Backend, 'simulated' | 'description'>,
  { inSandbox }: { readonly inSandbox: boolean },
): { readonly sandbox?: true; readonly ext?: { readonly simulated: string } } {
  if (inSandbox) return { sandbox: true }
  return simulated ? { sandbox: true, ext: { simulated: description } } : {}
}

/**
 * An answer about an order with `ext.simulated`, where what carries it out for a production buyer is not real. Without `sandbox`: the order is on the
 * books and counts against budgets as any other. What the answer's own `ext` says stays.
 */
export function withSimulation<T extends object>(
  answer: T,
  { simulated, description }: Pick<Backend, 'simulated' | 'description'>,
  { inSandbox }: { readonly inSandbox: boolean },
): T {
  if (inSandbox || !simulated) return answer
  const own: unknown = Reflect.get(answer, 'ext')
  return { ...answer, ext: { ...(typeof own === 'object' ? own : {}), simulated: description } }
}
