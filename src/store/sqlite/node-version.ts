/** Whether the running Node is of that version or a later one. */
export function isNodeAtLeast(major: number, minor: number): boolean {
  const [runningMajor = 0, runningMinor = 0] = process.versions.node.split('.').map(Number)
  return runningMajor > major || (runningMajor === major && runningMinor >= minor)
}
