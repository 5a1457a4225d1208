/** Days of the week or the weekend, as what an order runs on: "only on weekends", "Saturdays and Sundays", "weekend only". */
export const WEEKDAYS =
  /\b(?:on|every|only|not|no|at|during|over)\s(?:the\s)?(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays|saturdays?|sundays?|weekends?|weekdays?)\b|\b(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)\b(?: ?(?:,|&|and|or|to|-) ?(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)\b){0,6}|\b(?:weekend|weekday|monday|tuesday|wednesday|thursday|saturday|sunday)s? only\b/i

/** Hours of the day, as when an order runs: "evenings", "in the morning", "from 6 to 10 pm", "nur abends", "på kvällen". */
export const HOURS =
  /(?<![\p{L}\p{N}])(?:(?:mornings|afternoons|evenings)(?: only)?|(?:in the|every|each|only) (?:mornings?|afternoons?|evenings?)|at night|(?:from|between) \d{1,2}(?::\d\d)? ?(?:am|pm|h|uhr)? ?(?:to|and|until|-|–) ?\d{1,2}(?::\d\d)? ?(?:am|pm|h|uhr|o.clock)|\d{1,2} ?- ?\d{1,2} ?(?:am|pm|uhr)|(?:nur )?(?:morgens|vormittags|nachmittags|abends|nachts)|på (?:morgonen|kvällen|kvällar|morgenen|kvelden|aftenen)|(?:kvällstid|kveldstid)|en soirée|le (?:matin|soir)|por la (?:mañana|tarde|noche))(?![\p{L}\p{N}])/iu

/** The same in other languages of briefs: "nicht am Wochenende", "nur werktags", "inte på helger", "ikke i helgene", "pas le week-end". */
export const WEEKDAYS_FOREIGN =
  /(?<![\p{L}\p{N}])(?:(?:am|an|im|på|i|om|le|les|el|los|il|la|nel|in het|op|de) (?:wochenenden?|werktagen|wochentagen|helgen|helgene|helger|helgerna|helg|weekenderna?|weekenden|weekender|hverdager|hverdage|vardagar|week-?ends?|fines? de semana|fine settimana)|nur werktags|werktags|wochentags|(?:bara|endast|enbart|kun|bare|på) (?:vardagar|hverdager|hverdage)|(?:montags?|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)|jours ouvrés|días laborables|giorni feriali|doordeweeks)(?![\p{L}\p{N}])/iu
