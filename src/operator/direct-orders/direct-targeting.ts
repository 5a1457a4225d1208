import { type DirectTargeting, MEMBER_OF } from '../../ad-serving/embedded/direct-targeting.ts'

export type { DirectTargeting }

/** What lines of direct orders can be narrowed by: what the embedded ad server declares, as members of the document of an order. */
export const DIRECT_TARGETING: readonly (keyof DirectTargeting)[] = Object.values(MEMBER_OF)
