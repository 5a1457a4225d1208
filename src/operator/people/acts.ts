import type { Act } from '../act.ts'
import { inviteEverywhere, invitePerson, listInvitations, removeInvitation } from './invite-person.ts'
import { listEverybody, listPeople, removePerson, revokePerson, setRole } from './manage-people.ts'
import { listPeopleFactors, resetAnyFactors, resetPersonFactors } from './reset-factors.ts'

/** What can be done with the people who work in the console, in the order of the help. */
export const peopleActs: readonly Act[] = [
  invitePerson,
  inviteEverywhere,
  listPeople,
  listEverybody,
  setRole,
  removePerson,
  revokePerson,
  listInvitations,
  removeInvitation,
  listPeopleFactors,
  resetPersonFactors,
  resetAnyFactors,
]
