import type { Act } from '../act.ts'
import { examineOwn, inspectStoreOfDeployment, listConfiguredAdServers } from './doctor-acts.ts'

/** What can be looked at in a deployment. */
export const doctorActs: readonly Act[] = [examineOwn, listConfiguredAdServers, inspectStoreOfDeployment]
