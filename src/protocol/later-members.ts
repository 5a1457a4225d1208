import { MEMBERS_SINCE_3_1 } from './members-since-3.1.ts'
import { MEMBERS_SINCE_3_2 } from './members-since-3.2.ts'

const SINCE = [
  ['3.1', MEMBERS_SINCE_3_1],
  ['3.2', MEMBERS_SINCE_3_2],
] as const

/** The release that brought a member that AdCP 3.0 does not define; undefined: none did. `place`: in the schemas of 3.0. */
export function releaseOfLaterMember(place: string, name: string): string | undefined {
  return SINCE.find(([, members]) => Object.hasOwn(members, place) && members[place]?.includes(name))?.[0]
}
