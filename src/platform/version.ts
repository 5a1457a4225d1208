import { createRequire } from 'node:module'

/** Version of this package, as clients and the hosts that it fetches from see it. */
export const VERSION: string = createRequire(import.meta.url)('../../package.json').version
