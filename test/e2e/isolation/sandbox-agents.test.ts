import { describe } from 'vitest'
import { describeController, describeIds, describeKeys, describeLists, scene } from './suite.ts'

describe('sandbox agents', () => {
  const here = scene(true)
  describeLists(here)
  describeKeys(here)
  describeController(here)
  describeIds(here, true)
})
