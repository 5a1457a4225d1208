/** How a domain came onto the crawl list: somebody added it, or the file of a manager names it. */
export const ORIGINS = ['added', 'manager'] as const
export type Origin = (typeof ORIGINS)[number]

/** What a copy of a file is. */
export type FileContent = 'inline' | 'pointer'

/** What the well-known address of a domain serves, as far as is known. */
export const SERVED = ['unknown', 'inline', 'pointer', 'absent', 'invalid'] as const
export type Served = (typeof SERVED)[number]

/** How an operator takes a domain off the crawl list. Blocked names have no rows at all. */
export const REMOVALS = ['removed', 'blocked'] as const
export type Removal = (typeof REMOVALS)[number]

/** Why a domain is not on the crawl list. `dropped`: gave nothing for months; `opted_out`: its robots.txt says so. */
export const EXCLUSIONS = ['dropped', 'opted_out', ...REMOVALS] as const
export type Exclusion = (typeof EXCLUSIONS)[number]
