/** Tasks of the compact lifecycle (AdCP 3.2, `media_buy.lifecycle_tools`). */
export const COMPACT_LIFECYCLE = [
  'list_products',
  'request_proposals',
  'refine_proposals',
  'decline_proposals',
  'buy_products',
  'accept_proposal',
  'control_media_buy',
] as const

/** Tasks that the compact ones stand beside: those of every release before AdCP 4. */
export const ESTABLISHED_LIFECYCLE = ['get_products', 'create_media_buy', 'update_media_buy'] as const

/** Which of the two families a publisher lists; whichever it is, calls of both are answered, on the same orders. */
export const LIFECYCLES = ['compact', 'established', 'both'] as const
export type Lifecycle = (typeof LIFECYCLES)[number]

/**
 * Tasks as an assistant is shown them: without the established ones where the publisher lists the compact ones alone, as far as a release that it offers has them.
 */
export function listedIn<Named extends { readonly name: string }>(
  lifecycle: Lifecycle | undefined,
  tasks: readonly Named[],
): readonly Named[] {
  const isCompact = lifecycle === 'compact' && tasks.some(({ name }) => name === 'buy_products')
  return isCompact ? tasks.filter(({ name }) => !ESTABLISHED_LIFECYCLE.some((each) => each === name)) : tasks
}
