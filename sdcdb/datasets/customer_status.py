"""The Customer Status generator of the thesis: categories only, three that matter and two that are noise."""

from collections.abc import Mapping

from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.draws import draws, one_of, weighted

COUNTRIES = (
    *("Argentina", "Austria", "Brazil", "Canada", "Chile", "China", "Denmark", "Egypt", "Ethiopia", "Finland"),
    *("France", "Germany", "Ghana", "Greece", "India", "Indonesia", "Ireland", "Italy", "Japan", "Kenya"),
    *("Mexico", "Morocco", "Nepal", "Norway", "Peru", "Poland", "Samoa", "Spain", "Turkey", "Vietnam"),
)
CITIES = (
    *("Amsterdam", "Athens", "Bangkok", "Barcelona", "Bergen", "Berlin", "Bogotá", "Cairo", "Cape Town", "Cusco"),
    *("Dublin", "Florence", "Hanoi", "Havana", "Istanbul", "Kraków", "Kyoto", "Lisbon", "London", "Marrakesh"),
    *("Montréal", "Nairobi", "New York", "Paris", "Prague", "Rome", "Singapore", "Vienna", "Wellington", "Zürich"),
)


def queries(rows: int, seed: int) -> Mapping[str, str]:
    """Follow section 6.7.2 of the thesis (2007).

    Its pseudo-code leaves one choice: Parents' Country and Favorite City have thirty values each (section
    6.6.1) that it does not name. The names here are made up.
    """
    names = ("u_country", "u_profession", "u_car", "u_parents", "u_city")
    origins = f"""
        SELECT *, {weighted("u_country", {"USA": 40, "England": 40, "Australia": 20})} AS country_of_origin
        FROM ({draws("customer_status", rows, seed, names)})
    """
    professions = f"""
        SELECT *,
            CASE
                WHEN country_of_origin = 'Australia'
                    THEN {weighted("u_profession", {"Engineer": 40, "Academic": 30, "Scientist": 30})}
                ELSE {weighted("u_profession", {"Scientist": 95, "Academic": 3, "Engineer": 2})}
            END AS profession
        FROM ({origins})
    """
    cars = f"""
        SELECT *,
            CASE
                WHEN country_of_origin <> 'Australia'
                    THEN {weighted("u_car", {"Toyota": 40, "Ford": 40, "Nissan": 20})}
                WHEN profession = 'Engineer' THEN {weighted("u_car", {"Toyota": 50, "Holden": 50})}
                ELSE {weighted("u_car", {"Toyota": 25, "Nissan": 25, "Ford": 25, "Holden": 25})}
            END AS car_make
        FROM ({professions})
    """
    return {
        "customer_status": f"""
            SELECT id, country_of_origin, car_make, profession,
                {one_of("u_parents", COUNTRIES)} AS parents_country,
                {one_of("u_city", CITIES)} AS favorite_city,
                CASE country_of_origin
                    WHEN 'USA' THEN if(car_make IN ('Toyota', 'Ford'), 'Good', 'Bad')
                    WHEN 'England' THEN if(car_make IN ('Nissan', 'Ford'), 'Good', 'Bad')
                    ELSE if(profession = 'Academic', 'Good', 'Bad')
                END AS status
            FROM ({cars})
        """
    }


DATASET = Dataset(
    name="customer_status",
    title="Generated customers: origin, car and profession decide the status; two attributes are noise.",
    source="Thesis (2007), section 6.7.2",
    rows=399,  # as many as section 6.6.1 uses
    tables=("customer_status",),
    queries=queries,
)
