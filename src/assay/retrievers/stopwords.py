"""Words that carry grammar rather than content. They stay in the index; a query drops them when others remain.

Only words that are hardly ever content in their own language are listed; without their accents they are stop words
too, because queries are often typed without.
"""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either every few for
from further had hadn't has hasn't have haven't having he her here hers herself him himself his how i if in into is
isn't it its itself just let me might more most must my myself neither no nor not now of off on once only onto or other
ought our ours ourselves out over own per please shall shan't she should shouldn't so some such tell than that the their
theirs them themselves then there these they this those through to too toward towards under until unto up upon us very
was wasn't we were weren't what when where whether which while who whom whose why will with within without won't would
wouldn't yet you your yours yourself yourselves
"""

_FRENCH = """
a à afin ai ainsi alors après as au aucun aucune aussi autre autres aux avaient avais avait avant avec avez aviez avons
ayant c ça car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez ci combien comme comment d dans
de depuis des dès devant doit doivent donc dont du durant elle elles en encore entre es est et étaient étais était étant
êtes être eu eux fait faut fut furent hors ici il ils j je jusque l la là laquelle le lequel les lesquelles lesquels
leur leurs lors lorsque lui m ma mais malgré me même mêmes mes mien moi moins mon n ne ni non nos notre nous on ont or
ou où par parce pas pendant peu peut peuvent plus pour pourquoi puis puisque qu quand que quel quelle quelles quels qui
quoi quoique s sa sans sauf se selon sera serait ses si sien sinon soi soit sommes son sont sous suis sur t ta tandis te
tel telle telles tels tes toi ton toujours tous tout toute toutes très trop tu un une vers via voici voilà vos votre
vous y
"""

STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "fr": frozenset(_FRENCH.split()),
}
