import type { CreativeStatus } from '../../domain/creative/creative.ts'
import { TRANSITIONS } from '../../domain/creative/lifecycle.ts'

const isStatus = (name: string): name is CreativeStatus => Object.hasOwn(TRANSITIONS, name)

/** Every status of a creative, as fields take them. */
export const CREATIVE_STATUSES: readonly CreativeStatus[] = Object.keys(TRANSITIONS).filter(isStatus)
