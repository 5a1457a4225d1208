import type { Config } from '../../config/config.ts'
import { storeExists } from '../../store/open.ts'

/** Whether the store of a configuration is there: a command on this machine can then act for the publisher. */
export function hasStore(config: Config): Promise<boolean> {
  return storeExists(config)
}
